// The end of a call by plain loops.
#include "runtime/onednn_describe.h"
#include "runtime/onednn_trial.h"
#include "runtime/parallel.h"
#include "runtime/plain_loops.h"

namespace fw::runtime {

namespace {

class FinishedByLoops final : public PreparedCall {
public:
    FinishedByLoops(std::unique_ptr<PreparedCall> anchor, const ShapedCall& call, std::size_t first,
                    int threads)
        : m_anchor(std::move(anchor)), m_call(call), m_first(first) {
        m_settings.threads = threads;
        m_scratchBytes = m_anchor->scratchBytes();
        m_descriptions.resize(call.arguments.size());
        for (std::size_t i = 0; i < call.arguments.size(); ++i) {
            if (call.arguments[i].role == Role::Output)
                m_output = i;
            else if (call.arguments[i].role != Role::Operand)
                continue;
            (void)describeMemory(call.arguments[i], m_descriptions[i]); // oneDNN took the output
        }
        for (std::size_t i = first; i < call.postOps.size(); ++i) {
            m_note += (m_note.empty() ? "" : ", ") + std::string(postOpText(call.postOps[i].kind));
            m_keeps = m_keeps || call.postOps[i].kind == PostOpKind::Sum;
        }
        m_note = m_anchor->note() + "; by plain loops: " + m_note;
        if (m_keeps)
            m_kept.resize(static_cast<std::size_t>(call.arguments[m_output].elements()));
    }

    Status run(void* const* buffers, void* scratch) override {
        m_buffers = buffers;
        if (m_keeps)
            overRows(keepRows);
        if (Status status = m_anchor->run(buffers, scratch); !status.ok())
            return status;
        overRows(finishRows);
        return {};
    }

private:
    using Body = void (*)(const fw_kernel_context*, std::int64_t, std::int64_t);

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
        if (!takesOperand(op.kind))
            return 0;
        const std::vector<std::int64_t>& dims = m_call.arguments[op.argument].dims;
        std::int64_t place[DNNL_MAX_NDIMS];
        for (std::size_t d = 0; d < dims.size(); ++d)
            place[d] = dims[d] == 1 ? 0 : index[d];
        return static_cast<double>(
            data(op.argument)[elementOffset(m_descriptions[op.argument], place)]);
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
            double x = static_cast<double>(value);
            for (std::size_t p = self.m_first; p < self.m_call.postOps.size(); ++p) {
                const PostOp& op = self.m_call.postOps[p];
                x = static_cast<double>(
                    static_cast<float>(postOpValue(op, x, self.operandOf(op, index, i))));
            }
            value = static_cast<float>(x);
        });
    }

    std::unique_ptr<PreparedCall> m_anchor;
    ShapedCall m_call;
    std::size_t m_first;
    std::size_t m_output = 0;
    bool m_keeps = false; // a sum adds what the output held
    std::vector<dnnl_memory_desc_t> m_descriptions;
    std::vector<float> m_kept;
    ParallelSettings m_settings;
    void* const* m_buffers = nullptr;
};

} // namespace

std::unique_ptr<PreparedCall> finishedByLoops(std::unique_ptr<PreparedCall> anchor,
                                              const ShapedCall& call, std::size_t first,
                                              int threads) {
    return std::unique_ptr<PreparedCall>(
        new FinishedByLoops(std::move(anchor), call, first, threads));
}

} // namespace fw::runtime
