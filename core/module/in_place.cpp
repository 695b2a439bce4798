#include "module/in_place.h"

#include <algorithm>

namespace fw {

namespace {

// A value that a kernel wrote to arena memory that is nobody else's.
bool ownsMemory(const Graph& graph, const FusionPlan& plan, ValueRef value) {
    const Node& producer = graph.node(value.node);
    if (producer.isInput() || producer.isConstant() || graph.isResult(value) ||
        plan.homes.contains(value) || plan.groupAt(value.node).isView())
        return false;
    return std::none_of(plan.homes.begin(), plan.homes.end(),
                        [&](const auto& home) { return home.second == value; });
}

bool diesIn(const Graph& graph, const FusionPlan& plan, ValueRef value, const Group& group) {
    for (const Use& use : graph.uses(value)) {
        const Group& user = plan.groupAt(use.node);
        if (user.isView() || user.id > group.id)
            return false;
    }
    return true;
}

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

std::vector<InPlace> spentOperands(const Graph& graph, const FusionPlan& plan, const Group& group) {
    const GroupBody& body = group.lowering.kernel->body;
    std::vector<InPlace> out;
    for (std::size_t o = 0; o < group.outputs.size(); ++o) {
        const ValueRef output = group.outputs[o];
        if (!ownsMemory(graph, plan, output))
            continue;
        for (std::size_t i = 0; i < body.operands.size(); ++i) {
            const ValueRef operand = group.inputs[body.operands[i]];
            if (graph.type(operand) == graph.type(output) &&
                body.inputLayouts[i] == body.outputLayouts[o] && ownsMemory(graph, plan, operand) &&
                diesIn(graph, plan, operand, group))
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
