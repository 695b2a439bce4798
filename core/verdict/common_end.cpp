#include "verdict/common_end.h"

#include <algorithm>
#include <map>

namespace fw {

namespace {

// Whether other elements of the operand give other values, as real numbers and but for a product
// with 0.
bool keepsApart(const Expr& e, Symbol operand) {
    const auto reads = [&](const Expr& part) {
        bool out = false;
        visitExpr(part, [&](const Expr& inner) {
            out = out || (inner.op() == ExprOp::Load && inner->symbol == operand);
        });
        return out;
    };
    const ExprOp op = e.op();
    if (op == ExprOp::Load)
        return e->symbol == operand;
    if (op == ExprOp::Neg || (op == ExprOp::Cast && isFloat(e.dtype())))
        return keepsApart(e.arg(0), operand);
    return (op == ExprOp::Add || op == ExprOp::Sub || op == ExprOp::Mul) &&
           reads(e.arg(0)) != reads(e.arg(1)) &&
           keepsApart(reads(e.arg(0)) ? e.arg(0) : e.arg(1), operand);
}

bool keepsApart(const Graph& graph, const Node& node, std::size_t operand) {
    const Operator* op = graph.operators().find(node.op);
    const Result<OpInst> inst =
        op != nullptr ? op->instantiate(callOf(graph, node)) : Result<OpInst>(Diag());
    return inst && inst->stages.size() == 1 && inst->stages[0].isMap() &&
           operand < inst->inputs.size() &&
           keepsApart(inst->stages[0].body, inst->inputs[operand].name);
}

class Ends {
public:
    Ends(const Graph& before, const Graph& after) : m_before(before), m_after(after) {
        for (std::size_t i = 0; i < before.inputs().size(); ++i)
            m_input[before.inputs()[i]] = after.inputs()[i];
    }

    std::optional<CommonEnd> find(std::size_t result) const {
        const CommonEnd whole{result, m_before.results()[result].value,
                              m_after.results()[result].value};
        CommonEnd out = whole;
        while (step(out)) {
        }
        const bool ofOneShape =
            m_before.type(out.before).shape == m_before.type(whole.before).shape &&
            m_after.type(out.after).shape == m_before.type(whole.before).shape;
        return out.before == whole.before || !ofOneShape ? std::nullopt : std::optional(out);
    }

private:
    bool sameCall(const Node& one, const Node& other) const {
        return !one.isLeaf() && !other.isLeaf() && one.op == other.op && one.attrs == other.attrs &&
               one.inputs.size() == other.inputs.size() && one.bodies.empty() &&
               other.bodies.empty();
    }

    bool same(ValueRef before, ValueRef after) const {
        if (!before.valid() || !after.valid())
            return before.valid() == after.valid();
        const Node &one = m_before.node(before.node), &other = m_after.node(after.node);
        if (one.isInput())
            return m_input.at(one.id) == other.id;
        if (one.isConstant())
            return other.isConstant() && *one.data == *other.data;
        if (before.output != after.output || !sameCall(one, other))
            return false;
        for (std::size_t i = 0; i < one.inputs.size(); ++i)
            if (!same(one.inputs[i], other.inputs[i]))
                return false;
        return true;
    }

    // To the one operand that is not the same.
    bool step(CommonEnd& end) const {
        const Node &one = m_before.node(end.before.node), &other = m_after.node(end.after.node);
        if (!sameCall(one, other) || one.outputs.size() != 1)
            return false;
        std::optional<std::size_t> apart;
        for (std::size_t i = 0; i < one.inputs.size(); ++i) {
            if (same(one.inputs[i], other.inputs[i]))
                continue;
            if (apart)
                return false;
            apart = i;
        }
        if (!apart || !one.inputs[*apart].valid() || !other.inputs[*apart].valid() ||
            m_before.type(one.inputs[*apart]) != m_after.type(other.inputs[*apart]) ||
            !keepsApart(m_before, one, *apart))
            return false;
        end.before = one.inputs[*apart];
        end.after = other.inputs[*apart];
        return true;
    }

    const Graph &m_before, &m_after;
    std::map<NodeId, NodeId> m_input;
};

} // namespace

std::vector<CommonEnd> commonEnds(const Graph& before, const Graph& after) {
    const Ends ends(before, after);
    std::vector<CommonEnd> out;
    for (std::size_t i = 0; i < before.results().size(); ++i)
        if (auto one = ends.find(i))
            out.push_back(*one);
    return out;
}

} // namespace fw
