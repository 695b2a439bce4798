#include "onnx/read/narrow_steps.h"

#include "ir/call_types.h"
#include "onnx/read/import_calls.h"

namespace fw {

namespace {

class NarrowSteps {
public:
    explicit NarrowSteps(const NodeImport& node) : m_node(node) {}

    int of(const Operator& op, const OpCall& call, int depth = 0) {
        const auto all = depth > mostNested || m_asked > mostCalls
                             ? Result<CallSequence>(CallSequence())
                             : op.calls(call);
        if (!all)
            return 0;
        m_asked += static_cast<int>(all->calls.size());
        int out = 0;
        std::vector<KnownTypes> results;
        for (const CallSequence::Call& one : all->calls) {
            const Operator* called = m_node.operatorNamed(one.op);
            if (called == nullptr) {
                results.emplace_back();
                continue;
            }
            const OpCall typed = typedCall(one, *called, call, results);
            results.emplace_back();
            if (called->standsForCalls())
                out += of(*called, typed, depth + 1);
            results.back() = resultsOf(*called, typed);
            if (!called->standsForCalls() && !called->movesOnly() && !results.back().empty() &&
                results.back().front() && isNarrow(results.back().front()->dtype))
                ++out;
        }
        return out;
    }

private:
    static bool isNarrow(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

    // Where they cannot be told before sizes are known, those of the first operand.
    static KnownTypes resultsOf(const Operator& op, const OpCall& call) {
        const auto inferred = op.standsForCalls() ? Result<Inferred>(Inferred()) : op.infer(call);
        KnownTypes out;
        if (inferred)
            for (const TensorType& type : inferred->outputs)
                out.emplace_back(type);
        if (out.empty() && !call.inputs.empty())
            out.assign(op.outputNames().size(), call.inputs.front());
        return out;
    }

    const NodeImport& m_node;
    int m_asked = 0; // calls
};

} // namespace

int narrowSteps(const NodeImport& node, const Operator& op, const OpCall& call) {
    return NarrowSteps(node).of(op, call);
}

} // namespace fw
