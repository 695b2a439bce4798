#include "session/loop_rows.h"

#include "loop/print.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using snapshot::HeldRecord;
using snapshot::LoopRow;

std::optional<std::int64_t> bytesOf(const Buffer& buffer) {
    const auto elements = buffer.size.asInt();
    if (!elements)
        return std::nullopt;
    return *elements * static_cast<std::int64_t>(dtypeBytes(buffer.dtype));
}

bool reads(const Expr& value, Symbol buffer) {
    bool found = false;
    visitExpr(value, [&](const Expr& part) {
        found = found || (part.op() == ExprOp::Load && part->symbol == buffer);
    });
    return found;
}

// Whether places in the buffer go round with the loop, so that an iteration finds what earlier ones
// left.
bool goesRound(const Stmt& inside, Symbol buffer, Symbol loop) {
    const auto round = [&](const Expr& index) {
        bool found = false;
        visitExpr(index, [&](const Expr& part) {
            found = found || (part.op() == ExprOp::Mod && usesVar(part, loop));
        });
        return found;
    };
    if (inside.op() == StmtOp::Store) {
        if (inside->buffer == buffer && round(inside->index))
            return true;
        bool found = false;
        visitExpr(inside->value, [&](const Expr& part) {
            found = found ||
                    (part.op() == ExprOp::Load && part->symbol == buffer && round(part.arg(0)));
        });
        return found;
    }
    return std::any_of(inside->body.begin(), inside->body.end(),
                       [&](const Stmt& part) { return goesRound(part, buffer, loop); });
}

// Held for as long as a loop runs, one iteration after another, whose rows follow each other in it.
bool isRing(const StmtNode& held) {
    const Stmt* inside = &held.body[0];
    while (inside->op() == StmtOp::Alloc ||
           (inside->op() == StmtOp::Block && (*inside)->body.size() == 1))
        inside = &(*inside)->body[0];
    return held.alloc.scope == BufferScope::Stack && inside->op() == StmtOp::For &&
           (*inside)->kind == LoopKind::Serial &&
           goesRound((*inside)->body[0], held.alloc.name, (*inside)->var);
}

HeldRecord mostOf(const HeldRecord& a, const HeldRecord& b) {
    return {std::max(a.registers, b.registers), std::max(a.stack, b.stack),
            std::max(a.memory, b.memory)};
}

std::optional<HeldRecord> heldIn(const Stmt& statement) {
    HeldRecord out;
    for (const Stmt& part : statement->body) {
        const auto inside = heldIn(part);
        if (!inside)
            return std::nullopt;
        out = mostOf(out, *inside);
    }
    if (statement.op() == StmtOp::Alloc) {
        const auto bytes = bytesOf(statement->alloc);
        if (!bytes)
            return std::nullopt;
        (statement->alloc.scope == BufferScope::Register ? out.registers : out.stack) += *bytes;
    }
    return out;
}

} // namespace

std::optional<HeldRecord> heldBy(const KernelCode& code) {
    const Lowered& lowered = code.choice.lowered;
    std::optional<HeldRecord> out = heldIn(lowered.nest.body);
    const std::size_t first = lowered.nest.parameters.size() - lowered.temporaries.size();
    for (std::size_t i = first; out && i < lowered.nest.parameters.size(); ++i) {
        const auto bytes = bytesOf(lowered.nest.parameters[i]);
        if (!bytes)
            return std::nullopt;
        out->memory += *bytes;
    }
    return out;
}

void LoopRows::push(LoopRow row) {
    if (m_rows.size() < m_most)
        m_rows.push_back(std::move(row));
    else
        ++m_more;
}

void LoopRows::named(LoopRow& row, const std::vector<NodeId>& nodes) const {
    row.nodes = nodes;
    for (const NodeId id : nodes)
        row.ops.push_back(m_graph.node(id).name);
}

std::vector<NodeId> LoopRows::idsOf(const std::vector<std::int64_t>& positions) const {
    std::vector<NodeId> out;
    for (const std::int64_t position : positions)
        if (position >= 0 && static_cast<std::size_t>(position) < m_group->nodes.size())
            out.push_back(m_group->nodes[static_cast<std::size_t>(position)]);
    return out;
}

void LoopRows::part(const std::string& what, const std::vector<NodeId>& nodes, int depth) {
    LoopRow row;
    row.depth = depth;
    row.kind = "part";
    row.name = what;
    named(row, nodes);
    push(std::move(row));
}

void LoopRows::add(const KernelCode& code, const Group& group, int depth) {
    m_group = &group;
    const Lowered& lowered = code.choice.lowered;
    const std::size_t first = lowered.nest.parameters.size() - lowered.temporaries.size();
    for (std::size_t i = first; i < lowered.nest.parameters.size(); ++i) {
        const Buffer& buffer = lowered.nest.parameters[i];
        push({depth, "held", std::string(buffer.name.text()), "memory",
              fmt::format("{}[{}]", dtypeText(buffer.dtype), buffer.size.text()), bytesOf(buffer)});
    }
    walk(lowered.nest.body, depth, {});
}

void LoopRows::walk(const Stmt& statement, int depth, const std::vector<NodeId>& nodes) {
    switch (statement.op()) {
    case StmtOp::Block:
    case StmtOp::If: {
        const std::vector<NodeId> own = statement->nodes.empty() ? nodes : idsOf(statement->nodes);
        for (const Stmt& part : statement->body)
            walk(part, depth, own);
        return;
    }
    case StmtOp::For: {
        LoopRow row{depth, "loop", std::string(statement->var.text()),
                    snapshot::LoopRowHow::of(loopKindText(statement->kind)),
                    statement->extent.text()};
        const std::vector<NodeId> own = statement->nodes.empty() ? nodes : idsOf(statement->nodes);
        named(row, own);
        push(std::move(row));
        return walk(statement->body[0], depth + 1, own);
    }
    case StmtOp::Alloc: {
        const Buffer& buffer = statement->alloc;
        LoopRow row{depth,
                    "held",
                    std::string(buffer.name.text()),
                    isRing(statement.node()) ? snapshot::LoopRowHow("ring")
                                             : snapshot::LoopRowHow::of(scopeText(buffer.scope)),
                    fmt::format("{}[{}]", dtypeText(buffer.dtype), buffer.size.text()),
                    bytesOf(buffer)};
        named(row, nodes);
        push(std::move(row));
        return walk(statement->body[0], depth, nodes);
    }
    case StmtOp::Store: {
        LoopRow row{depth, "computed", std::string(statement->buffer.text()),
                    reads(statement->value, statement->buffer) ? snapshot::LoopRowHow("updated")
                                                               : "stored"};
        named(row, nodes);
        // The two sides of a condition, or elements one after another, are one for people.
        if (m_rows.empty() || m_more > 0 || !(m_rows.back() == row))
            push(std::move(row));
        return;
    }
    }
}

} // namespace fw
