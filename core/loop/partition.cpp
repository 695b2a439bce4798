// Splits loops at the places where their conditions become true and false again.
#include "loop/passes.h"

#include <algorithm>

namespace fw {

namespace {

constexpr std::int64_t largestCopy = 1500; // statements a loop may have to be worth three copies
constexpr std::int64_t shortLoop = 31;     // iterations, at most, of what is left behind tiles

struct Inner {
    Symbol var;
    Expr min, max;
};

// The range of the loop variable in which all conditions hold, whatever the loops inside do.
struct Interior {
    Exprs low;  // var >= each
    Exprs high; // var <= each
};

class Collector {
public:
    Collector(Symbol var, Interior& out) : m_var(var), m_out(out) {}

    void visit(const Stmt& s) {
        switch (s.op()) {
        case StmtOp::Block:
        case StmtOp::Alloc:
            for (const Stmt& part : s->body)
                visit(part);
            return;
        case StmtOp::For:
            m_inner.push_back({s->var, s->min, s->min + s->extent - Expr(1)});
            visit(s->body[0]);
            m_inner.pop_back();
            return;
        case StmtOp::If:
            condition(s->condition);
            value(s->condition);
            for (const Stmt& part : s->body)
                visit(part);
            return;
        case StmtOp::Store:
            value(s->value);
            return;
        }
    }

private:
    void value(const Expr& e) {
        visitExpr(e, [&](const Expr& part) {
            if (part.op() == ExprOp::Select)
                condition(part.arg(0));
        });
    }

    void condition(const Expr& whole) {
        for (const Expr& part : conjuncts(whole)) {
            if ((part.op() != ExprOp::Lt && part.op() != ExprOp::Le) ||
                part.arg(0).dtype() != DType::I64 || hasLoad(part) || !usesVar(part, m_var))
                continue;
            bound(part.arg(1) - part.arg(0) - Expr(part.op() == ExprOp::Lt ? 1 : 0));
        }
    }

    // Notes what e >= 0 asks of the variable.
    void bound(const Expr& e) {
        auto linear = linearIn(e, m_var);
        if (!linear || linear->coefficient == 0)
            return;
        // The least value of the rest over the inner loops, innermost first.
        Expr rest = linear->rest;
        for (auto inner = m_inner.rbegin(); inner != m_inner.rend(); ++inner) {
            if (!usesVar(rest, inner->var))
                continue;
            const auto part = linearIn(rest, inner->var);
            if (!part)
                return;
            rest = part->rest +
                   Expr(part->coefficient) * (part->coefficient > 0 ? inner->min : inner->max);
        }
        if (usesVar(rest, m_var))
            return;
        const Expr limit = linear->coefficient > 0
                               ? simplify(ceilDivExpr(-rest, Expr(linear->coefficient)))
                               : simplify(floorDivExpr(rest, Expr(-linear->coefficient)));
        Exprs& list = linear->coefficient > 0 ? m_out.low : m_out.high;
        if (std::find(list.begin(), list.end(), limit) == list.end())
            list.push_back(limit);
    }

    Symbol m_var;
    Interior& m_out;
    std::vector<Inner> m_inner;
};

class Partitioner {
public:
    Stmt rewrite(const Stmt& s) {
        if (s.op() == StmtOp::Store)
            return s;
        if (s.op() != StmtOp::For) {
            StmtNode node = s.node();
            for (Stmt& part : node.body)
                part = rewrite(part);
            return s.op() == StmtOp::Block
                       ? blockStmt(std::move(node.body), s->nodes)
                       : Stmt(std::make_shared<const StmtNode>(std::move(node)));
        }
        const std::size_t facts = m_ranges.factCount();
        if (s->kind == LoopKind::Serial && unrolledSize(s->body[0]) <= largestCopy)
            if (const auto split = partitioned(s))
                return *split;
        m_ranges.assume(leExpr(Expr(1), s->extent));
        m_ranges.push(s->var, s->min, s->min + s->extent - Expr(1));
        StmtNode node = s.node();
        node.body[0] = rewrite(node.body[0]);
        m_ranges.pop();
        m_ranges.dropFacts(facts);
        return Stmt(std::make_shared<const StmtNode>(std::move(node)));
    }

private:
    std::optional<Stmt> partitioned(const Stmt& s) {
        // What tiles leave of a free size has hardly an interior, and would be written three times.
        if (!s->extent.isInt() && proveNonNegative(Expr(shortLoop) - s->extent, m_ranges))
            return std::nullopt;
        Interior interior;
        Collector(s->var, interior).visit(s->body[0]);
        if (interior.low.empty() && interior.high.empty())
            return std::nullopt;
        const Expr begin = s->min, end = s->min + s->extent;
        Expr from = begin, to = end;
        for (const Expr& limit : interior.low)
            from = maxExpr(from, limit);
        for (const Expr& limit : interior.high)
            to = minExpr(to, limit + Expr(1));
        from = simplify(from, m_ranges);
        if (from != begin) // else the first part is empty, whatever the end
            from = simplify(minExpr(from, end), m_ranges);
        to = simplify(maxExpr(to, from), m_ranges);
        const Expr before = simplify(from - begin, m_ranges),
                   middle = simplify(to - from, m_ranges), after = simplify(end - to, m_ranges);
        // Worth it if the middle is a loop, or if everything becomes plain statements.
        const auto single = [](const Expr& extent) { return extent.isInt(0) || extent.isInt(1); };
        if (proveNonNegative(-middle, m_ranges) && !(single(before) && single(after)))
            return std::nullopt;
        if (before.isInt(0) && after.isInt(0))
            return std::nullopt; // all interior: simplification decides the conditions
        const auto part = [&](const Expr& min, const Expr& extent) {
            return forStmt(s->var, min, extent, LoopKind::Serial, s->body[0], s->nodes);
        };
        std::vector<Stmt> parts;
        if (!before.isInt(0))
            parts.push_back(part(begin, before));
        if (!middle.isInt(0))
            parts.push_back(part(from, middle));
        if (!after.isInt(0))
            parts.push_back(part(to, after));
        return blockStmt(std::move(parts));
    }

    Ranges m_ranges;
};

} // namespace

LoopNest partitionLoops(const LoopNest& nest) {
    LoopNest out = nest;
    out.body = Partitioner().rewrite(nest.body);
    return out;
}

} // namespace fw
