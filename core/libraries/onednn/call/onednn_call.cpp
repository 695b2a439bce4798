// A oneDNN primitive for one choice of shapes, with its memory objects.
#include "libraries/onednn/call/onednn_describe.h"
#include "libraries/onednn/call/onednn_trial.h"
#include "runtime/memory.h"
#include "runtime/plain_loops.h"

#include <tuple>

namespace fw::runtime {

namespace {

constexpr int noArgument = -1;

int argumentOf(const ShapedCall& call, std::size_t index) {
    switch (call.arguments[index].role) {
    case Role::Output:
        return DNNL_ARG_DST;
    case Role::Input:
        return DNNL_ARG_SRC;
    case Role::Weights:
        return DNNL_ARG_WEIGHTS;
    case Role::Bias:
        return DNNL_ARG_BIAS;
    case Role::Scale:
        return DNNL_ARG_SCALE;
    case Role::Shift:
        return DNNL_ARG_SHIFT;
    case Role::Operand:
        break;
    }
    for (std::size_t i = 0; i < call.postOps.size(); ++i)
        if (takesOperand(call.postOps[i].kind) && call.postOps[i].argument == index)
            return DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) | DNNL_ARG_SRC_1;
    return noArgument;
}

class OneDnnCall final : public PreparedCall {
public:
    ~OneDnnCall() override {
        const LibraryAtWork work;
        for (const dnnl_exec_arg_t& argument : m_arguments)
            oneDnn().memory_destroy(argument.memory);
        if (m_packFrom)
            oneDnn().memory_destroy(m_packFrom);
        if (m_primitive)
            oneDnn().primitive_destroy(m_primitive);
        if (m_pack)
            oneDnn().primitive_destroy(m_pack);
    }

    // The call as the library sees it, and what it chose for it.
    const ShapedCall& asked() const { return m_asked; }
    const std::string& kernel() const { return m_kernel; }

    Status prepare(ShapedCall call, int threads) {
        m_threads = threads;
        m_openMp = &oneDnn().openMp;
        const ThreadCount count(oneDnn().openMp, threads);
        OneDnnPlan chosen, given;
        OneDnnPlan* plan = &given;
        std::string stored;
        std::size_t weights = call.arguments.size();
        for (std::size_t i = 0; i < call.arguments.size(); ++i)
            if (call.arguments[i].role == Role::Weights && !call.arguments[i].layout.empty())
                weights = i;
        if (weights < call.arguments.size())
            stored = call.arguments[weights].layout;
        bool repack = false;
        if (stored.empty()) {
            if (Status s = given.make(call); !s.ok())
                return s;
        } else if (Status s = withPacked(call, weights, stored, chosen, given, plan, repack);
                   !s.ok()) {
            return s;
        }
        m_kernel = plan->kernel();
        m_asked = call;
        return create(call, *plan, weights, repack);
    }

    Status run(void* const* buffers, void* scratch) override {
        const OneDnnTable& dnnl = oneDnn();
        const ThreadCount count(oneDnn().openMp, m_threads);
        if (m_pack)
            if (Status s = packWeights(buffers); !s.ok())
                return s;
        for (std::size_t i = 0; i < m_arguments.size(); ++i) {
            void* data = m_owned[i] ? m_owned[i]->data()
                         : m_buffers[i] == scratchBuffer
                             ? scratch
                             : static_cast<float*>(buffers[m_buffers[i]]) + m_offsets[i];
            if (data == m_handles[i])
                continue;
            if (dnnl.memory_set_data_handle(m_arguments[i].memory, data) != dnnl_success)
                return fail(FW_LIBRARY_FAILED, "oneDNN does not take this memory");
            m_handles[i] = data;
        }
        const dnnl_status_t status = dnnl.primitive_execute(
            m_primitive, dnnl.stream, static_cast<int>(m_arguments.size()), m_arguments.data());
        if (status != dnnl_success || dnnl.stream_wait(dnnl.stream) != dnnl_success)
            return fail(FW_LIBRARY_FAILED, "oneDNN failed: %s", dnnlText(status));
        return {};
    }

private:
    static constexpr std::uint32_t scratchBuffer = 0xffffffffu;

    // Weights as they were packed, if the library wants them so or takes them so without a
    // reference kernel; else they are packed again.
    Status withPacked(const ShapedCall& call, std::size_t weights, const std::string& stored,
                      OneDnnPlan& chosen, OneDnnPlan& given, OneDnnPlan*& plan, bool& repack) {
        ShapedCall any = call;
        any.arguments[weights].layout = "any";
        if (Status s = chosen.make(any); !s.ok())
            return s;
        const std::string wanted = layoutText(chosen.memory(dnnl_query_weights_md));
        plan = &chosen;
        if (wanted == stored)
            return {};
        const bool blocked = stored.compare(0, 5, "wino:") != 0;
        if (blocked && given.make(call).ok() && !given.slow()) {
            plan = &given;
            return {};
        }
        if (!blocked)
            return fail(FW_LIBRARY_FAILED, "the weights are packed as %s, oneDNN wants %s here",
                        stored.c_str(), wanted.c_str());
        m_notes.packed = "weights packed again, from " + stored + " to " + wanted;
        repack = true;
        return {};
    }

    Status add(int argument, const dnnl_memory_desc_t& description, std::uint32_t buffer,
               std::int64_t offset, std::unique_ptr<AlignedMemory> owned) {
        dnnl_exec_arg_t entry = {argument, nullptr};
        if (oneDnn().memory_create(&entry.memory, &description, oneDnn().engine,
                                   DNNL_MEMORY_NONE) != dnnl_success)
            return fail(FW_LIBRARY_FAILED, "oneDNN cannot describe this memory");
        m_arguments.push_back(entry);
        m_buffers.push_back(buffer);
        m_offsets.push_back(offset);
        m_handles.push_back(nullptr);
        m_owned.push_back(std::move(owned));
        return {};
    }

    Status create(const ShapedCall& call, const OneDnnPlan& plan, std::size_t weights,
                  bool repack) {
        const OneDnnTable& dnnl = oneDnn();
        dnnl_status_t status = dnnl.primitive_create(&m_primitive, plan.get());
        if (status != dnnl_success)
            return fail(FW_LIBRARY_FAILED, "oneDNN cannot make a %s: %s", kindText(call.kind),
                        dnnlText(status));
        for (std::size_t i = 0; i < call.arguments.size(); ++i) {
            const ShapedArgument& argument = call.arguments[i];
            const int which = argumentOf(call, i);
            if (which == noArgument)
                continue;
            const bool isWeights = i == weights;
            const dnnl_memory_desc_t& description =
                isWeights ? plan.memory(dnnl_query_weights_md) : plan.arguments()[i];
            const auto room = static_cast<std::size_t>(argument.bytes);
            if (!argument.layout.empty() && !(isWeights && repack) &&
                dnnl.memory_desc_get_size(&description) > room)
                return fail(FW_BAD_PROGRAM, "a tensor in blocks leaves its memory");
            std::unique_ptr<AlignedMemory> owned;
            if (isWeights && repack) {
                owned.reset(new AlignedMemory);
                if (Status s = owned->reserve(dnnl.memory_desc_get_size(&description)); !s.ok())
                    return s;
            }
            if (Status s =
                    add(which, description, argument.buffer, argument.offset, std::move(owned));
                !s.ok())
                return s;
        }
        if (repack)
            if (Status s = preparePacking(call, plan, weights); !s.ok())
                return s;
        const dnnl_memory_desc_t& scratchpad = plan.memory(dnnl_query_scratchpad_md);
        m_scratchBytes = dnnl.memory_desc_get_size(&scratchpad);
        if (m_scratchBytes == 0)
            return {};
        return add(DNNL_ARG_SCRATCHPAD, scratchpad, scratchBuffer, 0, nullptr);
    }

    Status preparePacking(const ShapedCall& call, const OneDnnPlan& plan, std::size_t weights) {
        const OneDnnTable& dnnl = oneDnn();
        dnnl_memory_desc_t from;
        if (Status s = describeMemory(call.arguments[weights], from); !s.ok())
            return s;
        if (dnnl.memory_desc_get_size(&from) >
            static_cast<std::size_t>(call.arguments[weights].bytes))
            return fail(FW_BAD_PROGRAM, "packed weights leave their memory");
        dnnl_primitive_desc_t packing = nullptr;
        const bool made =
            dnnl.reorder_primitive_desc_create(&packing, &from, dnnl.engine,
                                               &plan.memory(dnnl_query_weights_md), dnnl.engine,
                                               nullptr) == dnnl_success &&
            dnnl.primitive_create(&m_pack, packing) == dnnl_success &&
            dnnl.memory_create(&m_packFrom, &from, dnnl.engine, DNNL_MEMORY_NONE) == dnnl_success;
        if (packing)
            dnnl.primitive_desc_destroy(packing);
        m_packBuffer = call.arguments[weights].buffer;
        return made ? Status{} : fail(FW_LIBRARY_FAILED, "oneDNN cannot pack these weights again");
    }

    Status packWeights(void* const* buffers) {
        const OneDnnTable& dnnl = oneDnn();
        std::size_t at = 0;
        while (m_arguments[at].arg != DNNL_ARG_WEIGHTS)
            ++at;
        const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, m_packFrom},
                                             {DNNL_ARG_TO, m_arguments[at].memory}};
        dnnl.memory_set_data_handle(m_packFrom, buffers[m_packBuffer]);
        dnnl.memory_set_data_handle(m_arguments[at].memory, m_owned[at]->data());
        m_handles[at] = m_owned[at]->data();
        const bool done =
            dnnl.primitive_execute(m_pack, dnnl.stream, 2, arguments) == dnnl_success &&
            dnnl.stream_wait(dnnl.stream) == dnnl_success;
        dnnl.primitive_destroy(m_pack);
        m_pack = nullptr;
        return done ? Status{} : fail(FW_LIBRARY_FAILED, "oneDNN cannot pack these weights again");
    }

    int m_threads = 1;
    ShapedCall m_asked;
    std::string m_kernel;
    dnnl_primitive_t m_primitive = nullptr;
    std::vector<dnnl_exec_arg_t> m_arguments;
    std::vector<std::uint32_t> m_buffers; // per argument: which buffer
    std::vector<std::int64_t> m_offsets;
    std::vector<void*> m_handles; // per argument: as told to the library last
    std::vector<std::unique_ptr<AlignedMemory>> m_owned;
    dnnl_primitive_t m_pack = nullptr; // until the weights have been packed again
    dnnl_memory_t m_packFrom = nullptr;
    std::uint32_t m_packBuffer = 0;
};

// Extents of post-ops' operands are 1 or those of the output.
bool operandsFit(const ShapedCall& call) {
    const ShapedArgument* output = call.find(Role::Output);
    for (const ShapedArgument& argument : call.arguments)
        for (std::size_t d = 0; argument.role == Role::Operand && d < argument.dims.size(); ++d)
            if (argument.dims[d] != 1 && argument.dims[d] != output->dims[d])
                return false;
    return true;
}

} // namespace

Status prepareUntried(const ShapedCall& call, int threads, std::unique_ptr<PreparedCall>& prepared,
                      std::string& kernel) {
    std::unique_ptr<OneDnnCall> out(new OneDnnCall);
    if (Status s = out->prepare(call, threads); !s.ok())
        return s;
    kernel = out->kernel();
    prepared = std::move(out);
    return {};
}

// With as many of the post-ops as the library computes rightly; the rest by loops.
Status prepareOneDnn(const ShapedCall& call, int threads, std::unique_ptr<PreparedCall>& prepared) {
    const LibraryAtWork work;
    if (Status s = whyNotUsed(oneDnn().info, "oneDNN"); !s.ok())
        return s;
    if (!operandsFit(call))
        return fail(FW_BAD_PROGRAM, "an operand of a post-op does not fit");
    for (const ShapedArgument& argument : call.arguments)
        if (argument.elements() == 0)
            return prepareOfNothing(call, threads, prepared);
    Status refusal;
    std::string doubts;
    ShapedCall part = call;
    while (true) {
        std::unique_ptr<OneDnnCall> out(new OneDnnCall);
        const Status s = out->prepare(part, threads);
        if (!s.ok() && refusal.ok())
            refusal = s;
        const bool compares =
            !part.postOps.empty() || part.kind == CallKind::MaxPool || worksOnRows(part.kind);
        const Finding finding =
            s.ok() && compares ? findingOf(out->asked(), out->kernel(), threads) : Finding{};
        if (doubts.empty())
            doubts = finding.doubt;
        if (s.ok() && finding.doubt.empty()) {
            const std::size_t taken = part.postOps.size();
            const std::string kernel = out->kernel();
            prepared = std::move(out);
            if (finding.watched)
                prepared = watched(std::move(prepared), part, kernel, threads);
            return taken == call.postOps.size()
                       ? Status{}
                       : finishByLoops(std::move(prepared), call, taken,
                                       doubts.empty() ? refusal.message : doubts, threads,
                                       prepared);
        }
        if (part.postOps.empty())
            return s.ok() && hasPlainLoops(part.kind)
                       ? wholeByLoops(call, doubts, threads, prepared)
                       : refusal;
        part.postOps.pop_back();
    }
}

Status askOneDnn(const ShapedCall& call, int threads, OneDnnAnswer& answer) {
    if (Status s = whyNotUsed(oneDnn().info, "oneDNN"); !s.ok())
        return s;
    const ThreadCount count(oneDnn().openMp, threads);
    OneDnnPlan plan;
    if (Status s = plan.make(call); !s.ok())
        return s;
    answer = OneDnnAnswer{};
    answer.kernel = plan.kernel();
    answer.slow = plan.slow();
    if (!answer.slow)
        answer.doubt = findingOf(call, answer.kernel, threads).doubt;
    const std::tuple<Role, dnnl_query_t, std::string*> images[] = {
        {Role::Input, dnnl_query_src_md, &answer.inputLayout},
        {Role::Output, dnnl_query_dst_md, &answer.outputLayout}};
    for (const auto& [role, which, text] : images)
        if (const ShapedArgument* image = call.find(role); image && image->layout == "any")
            *text = layoutText(plan.memory(which));
    const ShapedArgument* weights = call.find(Role::Weights);
    if (weights && weights->layout == "any") {
        const dnnl_memory_desc_t& description = plan.memory(dnnl_query_weights_md);
        answer.layout = layoutText(description);
        answer.weightsBytes = oneDnn().memory_desc_get_size(&description);
    }
    return {};
}

Status packOneDnn(const ShapedCall& call, int threads, const ShapedArgument& from, const void* data,
                  void* packed) {
    if (Status s = whyNotUsed(oneDnn().info, "oneDNN"); !s.ok())
        return s;
    const ThreadCount count(oneDnn().openMp, threads);
    const OneDnnTable& dnnl = oneDnn();
    OneDnnPlan plan;
    if (Status s = plan.make(call); !s.ok())
        return s;
    dnnl_memory_desc_t source;
    if (Status s = describeMemory(from, source); !s.ok())
        return s;
    const dnnl_memory_desc_t& wanted = plan.memory(dnnl_query_weights_md);
    dnnl_primitive_desc_t packing = nullptr;
    dnnl_primitive_t primitive = nullptr;
    dnnl_memory_t memories[2] = {};
    bool done = dnnl.reorder_primitive_desc_create(&packing, &source, dnnl.engine, &wanted,
                                                   dnnl.engine, nullptr) == dnnl_success;
    if (done && packed != nullptr) {
        done = dnnl.primitive_create(&primitive, packing) == dnnl_success &&
               dnnl.memory_create(&memories[0], &source, dnnl.engine, const_cast<void*>(data)) ==
                   dnnl_success &&
               dnnl.memory_create(&memories[1], &wanted, dnnl.engine, packed) == dnnl_success;
        const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, memories[0]},
                                             {DNNL_ARG_TO, memories[1]}};
        done = done &&
               dnnl.primitive_execute(primitive, dnnl.stream, 2, arguments) == dnnl_success &&
               dnnl.stream_wait(dnnl.stream) == dnnl_success;
    }
    for (dnnl_memory_t memory : memories)
        if (memory)
            dnnl.memory_destroy(memory);
    if (primitive)
        dnnl.primitive_destroy(primitive);
    if (packing)
        dnnl.primitive_desc_destroy(packing);
    return done ? Status{} : fail(FW_LIBRARY_FAILED, "oneDNN cannot pack these weights");
}

} // namespace fw::runtime
