// The end of a call by plain loops, or the whole of it.
#include "libraries/onednn/call/onednn_describe.h"
#include "libraries/onednn/call/onednn_trial.h"
#include "runtime/parallel.h"
#include "runtime/plain_loops.h"

#include <optional>

namespace fw::runtime {

namespace {

// Who computes what stands before the post-ops.
enum class Before : std::uint8_t { Library, Loops, Nothing }; // Nothing: an operand is empty

class FinishedByLoops final : public PreparedCall {
public:
    FinishedByLoops(Before before, std::unique_ptr<PreparedCall> anchor, const ShapedCall& call,
                    std::size_t first, const std::string& why, int threads)
        : m_before(before), m_anchor(std::move(anchor)), m_call(call), m_first(first) {
        m_settings.threads = threads;
        m_openMp = m_anchor ? m_anchor->openMp() : nullptr;
        m_settings.openMp = m_openMp;
        m_scratchBytes = m_anchor ? m_anchor->scratchBytes() : 0;
        if (before != Before::Library)
            m_loops = kindText(call.kind);
        for (std::size_t i = first; i < call.postOps.size(); ++i) {
            m_loops +=
                (m_loops.empty() ? "" : ", ") + std::string(postOpText(call.postOps[i].kind));
            m_keeps = m_keeps || call.postOps[i].kind == PostOpKind::Sum;
        }
        m_loops += " (" + why + ")";
        tell();
    }

    Status describe() {
        m_descriptions.resize(m_call.arguments.size());
        for (std::size_t i = 0; i < m_call.arguments.size(); ++i) {
            const ShapedArgument& argument = m_call.arguments[i];
            if (argument.role == Role::Output)
                m_output = i;
            else if (argument.role == Role::Bias)
                m_bias = i;
            else if (argument.role != Role::Operand && m_before != Before::Loops)
                continue;
            if (argument.elements() == 0)
                continue;
            dnnl_memory_desc_t& description = m_descriptions[i];
            if (Status s = describeMemory(argument, description); !s.ok())
                return s;
            if (!argument.layout.empty() && oneDnn().memory_desc_get_size(&description) >
                                                static_cast<std::size_t>(argument.bytes))
                return fail(FW_BAD_PROGRAM, "a tensor in blocks leaves its memory");
        }
        if (m_keeps)
            m_kept.resize(static_cast<std::size_t>(m_call.arguments[m_output].elements()));
        return {};
    }

    Status run(void* const* buffers, void* scratch) override {
        return runBehind(&PreparedCall::run, buffers, scratch);
    }
    bool lostNan() const override { return m_anchor && m_anchor->lostNan(); }
    Status runAgain(void* const* buffers, void* scratch) override {
        return runBehind(&PreparedCall::runAgain, buffers, scratch);
    }

private:
    using Body = void (*)(const fw_kernel_context*, std::int64_t, std::int64_t);

    Status runBehind(Status (PreparedCall::*anchor)(void* const*, void*), void* const* buffers,
                     void* scratch) {
        m_buffers = buffers;
        if (m_call.arguments[m_output].elements() == 0)
            return {};
        if (m_keeps)
            overRows(keepRows);
        if (m_anchor) {
            if (Status status = (m_anchor.get()->*anchor)(buffers, scratch); !status.ok())
                return status;
            tell();
        }
        if (m_before == Before::Loops)
            readArguments();
        overRows(finishRows);
        return {};
    }

    void tell() {
        m_notes = m_anchor ? m_anchor->notes() : CallNotes();
        m_notes.loops += (m_notes.loops.empty() ? "" : "; ") + m_loops;
    }

    void overRows(Body body) {
        const ShapedArgument& output = m_call.arguments[m_output];
        const fw_kernel_context context = {reinterpret_cast<void* const*>(this), nullptr,
                                           parallelFor, &m_settings};
        parallelFor(&context, body, output.elements() / output.dims.back(), 16);
    }

    // Calls `each(index, value, number of the element)` for every element of the rows.
    template <typename Each>
    void elements(std::int64_t begin, std::int64_t end, const Each& each) const {
        const std::vector<std::int64_t>& dims = m_call.arguments[m_output].dims;
        std::int64_t index[DNNL_MAX_NDIMS] = {}, row = begin;
        for (std::size_t d = dims.size() - 1; d-- > 0;) {
            index[d] = row % dims[d];
            row /= dims[d];
        }
        float* output = data(m_output);
        for (std::int64_t i = begin * dims.back(); i < end * dims.back(); ++i) {
            each(index, output[elementOffset(m_descriptions[m_output], index)], i);
            nextIndex(dims, index);
        }
    }

    float* data(std::size_t argument) const {
        const ShapedArgument& a = m_call.arguments[argument];
        return static_cast<float*>(m_buffers[a.buffer]) + a.offset;
    }

    double operandOf(const PostOp& op, const std::int64_t* index, std::int64_t element) const {
        if (op.kind == PostOpKind::Sum)
            return static_cast<double>(m_kept[static_cast<std::size_t>(element)]);
        return takesOperand(op.kind) ? elementOf(op.argument, index) : 0;
    }

    // Extents of 1 broadcast.
    double elementOf(std::size_t argument, const std::int64_t* index) const {
        const std::vector<std::int64_t>& dims = m_call.arguments[argument].dims;
        std::int64_t place[DNNL_MAX_NDIMS];
        for (std::size_t d = 0; d < dims.size(); ++d)
            place[d] = dims[d] == 1 ? 0 : index[d];
        return static_cast<double>(data(argument)[elementOffset(m_descriptions[argument], place)]);
    }

    void readArguments() {
        m_values.resize(m_call.arguments.size());
        for (std::size_t i = 0; i < m_call.arguments.size(); ++i) {
            const ShapedArgument& argument = m_call.arguments[i];
            if (argument.role == Role::Output || argument.role == Role::Operand)
                continue;
            m_values[i].resize(static_cast<std::size_t>(argument.elements()));
            std::int64_t index[DNNL_MAX_NDIMS] = {};
            for (float& value : m_values[i]) {
                value = data(i)[elementOffset(m_descriptions[i], index)];
                nextIndex(argument.dims, index);
            }
        }
        if (worksOnRows(m_call.kind))
            plainRows(m_call, m_values, m_rows);
    }

    double anchored(const std::int64_t* index, float found) const {
        if (m_before == Before::Library)
            return static_cast<double>(found);
        if (m_before == Before::Loops)
            return static_cast<double>(static_cast<float>(
                worksOnRows(m_call.kind) ? m_rows[plainPlace(m_call.arguments[m_output], index)]
                                         : plainElement(m_call, m_values, index)));
        const std::int64_t* ofBias = m_call.kind == CallKind::Matmul ? index : index + 1;
        return plainOfNothing(m_call) + (m_bias ? elementOf(*m_bias, ofBias) : 0);
    }

    static void keepRows(const fw_kernel_context* context, std::int64_t begin, std::int64_t end) {
        auto& self = *reinterpret_cast<FinishedByLoops*>(const_cast<void**>(context->buffers));
        self.elements(begin, end, [&](const std::int64_t*, const float& value, std::int64_t i) {
            self.m_kept[static_cast<std::size_t>(i)] = value;
        });
    }

    static void finishRows(const fw_kernel_context* context, std::int64_t begin, std::int64_t end) {
        const auto& self = *reinterpret_cast<const FinishedByLoops*>(context->buffers);
        self.elements(begin, end, [&](const std::int64_t* index, float& value, std::int64_t i) {
            double x = self.anchored(index, value);
            for (std::size_t p = self.m_first; p < self.m_call.postOps.size(); ++p) {
                const PostOp& op = self.m_call.postOps[p];
                x = static_cast<double>(
                    static_cast<float>(postOpValue(op, x, self.operandOf(op, index, i))));
            }
            value = static_cast<float>(x);
        });
    }

    Before m_before;
    std::unique_ptr<PreparedCall> m_anchor;
    ShapedCall m_call;
    std::size_t m_first;
    std::string m_loops; // of the notes: what this computes, and why
    std::size_t m_output = 0;
    std::optional<std::size_t> m_bias;
    bool m_keeps = false; // a sum adds what the output held
    std::vector<dnnl_memory_desc_t> m_descriptions;
    std::vector<float> m_kept;
    PlainValues m_values; // what Before::Loops reads
    std::vector<double> m_rows;
    ParallelSettings m_settings;
    void* const* m_buffers = nullptr;
};

Status finish(Before before, std::unique_ptr<PreparedCall> anchor, const ShapedCall& call,
              std::size_t first, const std::string& why, int threads,
              std::unique_ptr<PreparedCall>& prepared) {
    std::unique_ptr<FinishedByLoops> out(
        new FinishedByLoops(before, std::move(anchor), call, first, why, threads));
    if (Status s = out->describe(); !s.ok())
        return s;
    prepared = std::move(out);
    return {};
}

} // namespace

Status finishByLoops(std::unique_ptr<PreparedCall> anchor, const ShapedCall& call,
                     std::size_t first, const std::string& why, int threads,
                     std::unique_ptr<PreparedCall>& prepared) {
    return finish(Before::Library, std::move(anchor), call, first, why, threads, prepared);
}

Status wholeByLoops(const ShapedCall& call, const std::string& why, int threads,
                    std::unique_ptr<PreparedCall>& prepared) {
    return finish(Before::Loops, nullptr, call, 0, why, threads, prepared);
}

Status prepareOfNothing(const ShapedCall& call, int threads,
                        std::unique_ptr<PreparedCall>& prepared) {
    if (!hasPlainLoops(call.kind) && call.find(Role::Output)->elements() != 0)
        return fail(FW_BAD_SHAPE, "an operand of a %s is empty, its result is not",
                    kindText(call.kind));
    return finish(Before::Nothing, nullptr, call, 0, "an operand is empty", threads, prepared);
}

} // namespace fw::runtime
