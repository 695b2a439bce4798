// A right side beside the operators that compute the roots of a match.
#include "rewrite/right_side.h"

#include <algorithm>

namespace fw {

namespace {

class Comparison {
public:
    Comparison(const RightSide& right, const Graph& graph) : m_right(right), m_graph(graph) {}

    bool same(const RightOperand& operand, ValueRef value, DType numberType) {
        if (operand.number) {
            const TensorData* data = m_graph.constant(value);
            const Result<TensorData> number = numberData(numberType, *operand.number);
            return data != nullptr && number && *data == *number;
        }
        if (operand.node < 0)
            return operand.value == value;
        if (!value.valid() || operand.output != value.output)
            return false;
        const auto [known, isNew] = m_known.try_emplace({operand.node, value.node}, false);
        if (isNew)
            known->second = sameNode(m_right.nodes[static_cast<std::size_t>(operand.node)],
                                     m_graph.node(value.node));
        return known->second;
    }

private:
    bool sameNode(const RightNode& a, const Node& b) {
        if (!a.name.empty() && a.name != b.name)
            return false;
        if (a.op != b.op || !b.bodies.empty() || a.operands.size() != b.inputs.size())
            return false;
        const Operator& op = *m_graph.operators().find(b.op);
        return sameAttributes(op, a.attrs, b.attrs) &&
               (sameOperands(a, b, false) || (op.commutative() && sameOperands(a, b, true)));
    }

    static bool sameAttributes(const Operator& op, const Attrs& a, const Attrs& b) {
        const auto covered = [&](const Attrs& some, const Attrs& other) {
            for (const auto& [name, value] : some) {
                const AttrValue* written = other.find(name);
                if (written != nullptr ? !(*written == value) : op.attrDefault(name) != value)
                    return false;
            }
            return true;
        };
        return covered(a, b) && covered(b, a);
    }

    bool sameOperands(const RightNode& a, const Node& b, bool swapped) {
        for (std::size_t i = 0; i < b.inputs.size(); ++i) {
            const std::size_t at = swapped && i < 2 ? 1 - i : i;
            if (!b.inputs[at].valid()) {
                if (a.operands[i].node >= 0 || a.operands[i].number || a.operands[i].value.valid())
                    return false;
                continue;
            }
            if (!same(a.operands[i], b.inputs[at], m_graph.type(b.inputs[at]).dtype))
                return false;
        }
        return true;
    }

    const RightSide& m_right;
    const Graph& m_graph;
    std::map<std::pair<int, NodeId>, bool> m_known;
};

} // namespace

bool changesNothing(const RightSide& right, const Graph& graph) {
    Comparison comparison(right, graph);
    return std::all_of(right.handed.begin(), right.handed.end(), [&](const auto& handed) {
        return comparison.same(handed.to, handed.from, graph.type(handed.from).dtype);
    });
}

} // namespace fw
