#include "module/in_place.h"

#include <algorithm>

namespace fw {

namespace {

// Whether every read of `input` stands in the value of a store to the same place of `output`.
class Reads {
public:
    Reads(Symbol input, Symbol output) : m_input(input), m_output(output) {}

    bool match(const Stmt& stmt) const {
        switch (stmt.op()) {
        case StmtOp::Store:
            if (reads(stmt->index))
                return false;
            return stmt->buffer == m_output ? readsOnly(stmt->value, stmt->index)
                                            : !reads(stmt->value);
        case StmtOp::For:
            if (reads(stmt->min) || reads(stmt->extent))
                return false;
            break;
        case StmtOp::If:
            if (reads(stmt->condition))
                return false;
            break;
        case StmtOp::Block:
        case StmtOp::Alloc:
            break;
        }
        return std::all_of(stmt->body.begin(), stmt->body.end(),
                           [&](const Stmt& part) { return match(part); });
    }

private:
    bool reads(const Expr& e) const {
        bool out = false;
        visitExpr(e, [&](const Expr& part) {
            out = out || (part.op() == ExprOp::Load && part->symbol == m_input);
        });
        return out;
    }

    bool readsOnly(const Expr& e, const Expr& index) const {
        bool out = true;
        visitExpr(e, [&](const Expr& part) {
            if (part.op() == ExprOp::Load && part->symbol == m_input)
                out = out && part.arg(0) == index;
        });
        return out;
    }

    Symbol m_input, m_output;
};

const Buffer* parameter(const LoopNest& nest, Symbol name) {
    for (const Buffer& buffer : nest.parameters)
        if (buffer.name == name)
            return &buffer;
    return nullptr;
}

} // namespace

SpentOperands::SpentOperands(const Graph& graph, const FusionPlan& plan)
    : m_graph(graph), m_plan(plan) {
    for (const auto& [part, whole] : plan.homes)
        m_hosts.insert(whole);
}

// A value that a kernel wrote to arena memory that is nobody else's.
bool SpentOperands::ownsMemory(ValueRef value) const {
    const Node& producer = m_graph.node(value.node);
    return !producer.isInput() && !producer.isConstant() && !m_graph.isResult(value) &&
           !m_plan.homes.contains(value) && m_plan.groupAt(value.node).hasCode() &&
           !m_hosts.contains(value);
}

bool SpentOperands::diesIn(ValueRef value, const Group& group) const {
    for (const Use& use : m_graph.uses(value)) {
        const Group& user = m_plan.groupAt(use.node);
        if (user.isView() || user.id > group.id)
            return false;
    }
    return true;
}

std::vector<InPlace> SpentOperands::of(const Group& group) const {
    const GroupBody& body = group.lowering.kernel->body;
    std::vector<InPlace> out;
    if (group.branch >= 0) // the other ways write elsewhere
        return out;
    for (std::size_t o = 0; o < group.outputs.size(); ++o) {
        const ValueRef output = group.outputs[o];
        if (!ownsMemory(output))
            continue;
        for (std::size_t i = 0; i < body.operands.size(); ++i) {
            const ValueRef operand = group.inputs[body.operands[i]];
            if (m_graph.type(operand) == m_graph.type(output) &&
                body.inputLayouts[i] == body.outputLayouts[o] && ownsMemory(operand) &&
                diesIn(operand, group))
                out.push_back({i, o});
        }
    }
    return out;
}

std::vector<InPlace> allowedInPlace(const LoopNest& nest, const GroupBody& body,
                                    const std::vector<InPlace>& candidates) {
    std::vector<InPlace> out;
    for (const InPlace& pair : candidates) {
        const bool taken = std::any_of(out.begin(), out.end(), [&](const InPlace& other) {
            return other.input == pair.input || other.output == pair.output;
        });
        const Symbol input = body.inst.inputs[pair.input].name;
        const Symbol output = body.inst.outputs[pair.output].name;
        const Buffer *from = parameter(nest, input), *to = parameter(nest, output);
        if (!taken && from != nullptr && to != nullptr && from->size == to->size &&
            to->access == BufferAccess::Write && Reads(input, output).match(nest.body))
            out.push_back(pair);
    }
    return out;
}

} // namespace fw
