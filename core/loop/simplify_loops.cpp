#include "loop/passes.h"

#include <algorithm>

namespace fw {

Exprs conjuncts(const Expr& condition) {
    if (condition.op() != ExprOp::And)
        return {condition};
    Exprs out = conjuncts(condition.arg(0));
    for (Expr& part : conjuncts(condition.arg(1)))
        out.push_back(std::move(part));
    return out;
}

Expr conjunction(const Exprs& parts) {
    Expr out = boolExpr(true);
    for (const Expr& part : parts)
        out = andExpr(out, part);
    return out;
}

Stmt substitute(const Stmt& s, const Substitution& map) {
    switch (s.op()) {
    case StmtOp::Block: {
        std::vector<Stmt> parts;
        for (const Stmt& part : s->body)
            parts.push_back(substitute(part, map));
        return blockStmt(std::move(parts), s->nodes);
    }
    case StmtOp::For: {
        StmtNode node = s.node();
        node.min = substitute(node.min, map);
        node.extent = substitute(node.extent, map);
        node.body[0] = substitute(node.body[0], map);
        return Stmt(std::make_shared<const StmtNode>(std::move(node)));
    }
    case StmtOp::If:
        return ifElseStmt(substitute(s->condition, map), substitute(s->body[0], map),
                          s->body.size() > 1 ? substitute(s->body[1], map) : Stmt());
    case StmtOp::Store:
        return storeStmt(s->buffer, substitute(s->index, map), substitute(s->value, map));
    case StmtOp::Alloc:
        return allocStmt(s->alloc, substitute(s->body[0], map));
    }
    return s;
}

std::int64_t unrolledSize(const Stmt& s) {
    constexpr std::int64_t most = std::int64_t(1) << 30;
    std::int64_t size = 1;
    for (const Stmt& part : s->body)
        size = std::min(most, size + unrolledSize(part));
    if (s.op() == StmtOp::For && s->kind == LoopKind::Unroll)
        if (const auto extent = s->extent.asInt())
            size = *extent > most / size ? most : std::max<std::int64_t>(1, size * *extent);
    return size;
}

namespace {

class Simplifier {
public:
    Stmt rewrite(const Stmt& s) {
        switch (s.op()) {
        case StmtOp::Block: {
            std::vector<Stmt> parts;
            for (const Stmt& part : s->body)
                if (Stmt next = rewrite(part); !next.isEmpty())
                    parts.push_back(std::move(next));
            return parts.empty() ? Stmt() : blockStmt(std::move(parts), s->nodes);
        }
        case StmtOp::For:
            return loop(s);
        case StmtOp::If:
            return conditional(s);
        case StmtOp::Store:
            return storeStmt(s->buffer, simplify(s->index, m_ranges), value(s->value));
        case StmtOp::Alloc: {
            Stmt body = rewrite(s->body[0]);
            return body.isEmpty() ? body : allocStmt(s->alloc, std::move(body));
        }
        }
        return s;
    }

private:
    Stmt loop(const Stmt& s) {
        const Expr min = simplify(s->min, m_ranges), extent = simplify(s->extent, m_ranges);
        if (proveNonNegative(Expr(0) - extent, m_ranges))
            return {};
        if (extent.isInt(1)) {
            Stmt body = rewrite(substitute(s->body[0], {{s->var, min}}));
            return body.isEmpty() || s->nodes.empty() ? body
                                                      : blockStmt({std::move(body)}, s->nodes);
        }
        const std::size_t facts = m_ranges.factCount();
        if (!extent.isInt())
            m_ranges.assume(leExpr(Expr(1), extent)); // the body runs only then
        m_ranges.push(s->var, min, simplify(min + extent - Expr(1), m_ranges));
        Stmt body = rewrite(s->body[0]);
        m_ranges.pop();
        m_ranges.dropFacts(facts);
        if (body.isEmpty())
            return body;
        StmtNode node = s.node();
        node.min = min;
        node.extent = extent;
        node.body[0] = std::move(body);
        return Stmt(std::make_shared<const StmtNode>(std::move(node)));
    }

    Stmt conditional(const Stmt& s) {
        const Expr condition = reduced(s->condition);
        if (condition.isInt())
            return condition.isInt(0) ? (s->body.size() > 1 ? rewrite(s->body[1]) : Stmt())
                                      : rewrite(s->body[0]);
        const std::size_t facts = m_ranges.factCount();
        m_ranges.assume(condition);
        Stmt then = rewrite(s->body[0]);
        m_ranges.dropFacts(facts);
        Stmt otherwise;
        if (s->body.size() > 1) {
            m_ranges.assume(notExpr(condition));
            otherwise = rewrite(s->body[1]);
            m_ranges.dropFacts(facts);
        }
        if (then.isEmpty())
            return otherwise.isEmpty() ? Stmt() : ifStmt(notExpr(condition), std::move(otherwise));
        if (then.op() == StmtOp::If && then->body.size() == 1 && otherwise.isEmpty())
            return ifStmt(andExpr(condition, then->condition), then->body[0]);
        return ifElseStmt(condition, std::move(then), std::move(otherwise));
    }

    // A condition without the parts that are known to hold.
    Expr reduced(const Expr& condition) {
        const std::size_t facts = m_ranges.factCount();
        Exprs kept;
        for (const Expr& part : conjuncts(condition)) {
            const Expr next = value(part);
            if (next.isInt(0)) {
                m_ranges.dropFacts(facts);
                return next;
            }
            if (next.isInt() || std::find(kept.begin(), kept.end(), next) != kept.end())
                continue;
            kept.push_back(next);
            m_ranges.assume(next);
        }
        m_ranges.dropFacts(facts);
        return conjunction(kept);
    }

    // What a select() asks is known in its branches.
    Expr value(const Expr& e) {
        if (e.op() == ExprOp::Select) {
            const Expr condition = reduced(e.arg(0));
            if (condition.isInt())
                return value(e.arg(condition.isInt(0) ? 2 : 1));
            const std::size_t facts = m_ranges.factCount();
            m_ranges.assume(condition);
            const Expr then = value(e.arg(1));
            m_ranges.dropFacts(facts);
            m_ranges.assume(notExpr(condition));
            const Expr otherwise = value(e.arg(2));
            m_ranges.dropFacts(facts);
            return selectExpr(condition, then, otherwise);
        }
        if (e.dtype() == DType::I64 && !hasLoad(e))
            return simplify(e, m_ranges);
        if (e.args().empty())
            return e;
        Exprs args;
        for (const Expr& arg : e.args())
            args.push_back(value(arg));
        const Expr out = withArgs(e, std::move(args));
        if (out.dtype() == DType::Bool)
            if (const auto truth = decide(out, m_ranges))
                return boolExpr(*truth);
        return out;
    }

    Ranges m_ranges;
};

Stmt clamped(const Stmt& s) {
    if (s.op() == StmtOp::Store)
        return s;
    StmtNode node = s.node();
    for (Stmt& part : node.body)
        part = clamped(part);
    if (s.op() == StmtOp::Block)
        return blockStmt(std::move(node.body), s->nodes);
    const Stmt rebuilt(std::make_shared<const StmtNode>(node));
    if (s.op() != StmtOp::For || s->kind != LoopKind::Serial || node.body[0].op() != StmtOp::If ||
        node.body[0]->body.size() != 1)
        return rebuilt;
    const Stmt inner = node.body[0];
    Expr low = node.min, end = node.min + node.extent;
    Exprs kept;
    for (const Expr& part : conjuncts(inner->condition)) {
        const bool isLess = part.op() == ExprOp::Lt, isLessEqual = part.op() == ExprOp::Le;
        if ((!isLess && !isLessEqual) || part.arg(0).dtype() != DType::I64 || hasLoad(part)) {
            kept.push_back(part);
            continue;
        }
        // coefficient * var + rest >= 0
        const auto linear = linearIn(part.arg(1) - part.arg(0) - Expr(isLess ? 1 : 0), s->var);
        if (!linear || linear->coefficient == 0) {
            kept.push_back(part);
        } else if (linear->coefficient > 0) {
            low = maxExpr(low, ceilDivExpr(-linear->rest, Expr(linear->coefficient)));
        } else {
            end = minExpr(end, floorDivExpr(linear->rest, Expr(-linear->coefficient)) + Expr(1));
        }
    }
    if (kept.size() == conjuncts(inner->condition).size())
        return rebuilt;
    const Stmt body = kept.empty() ? inner->body[0] : ifStmt(conjunction(kept), inner->body[0]);
    low = simplify(low);
    return forStmt(s->var, low, simplify(end - low), LoopKind::Serial, body, s->nodes);
}

} // namespace

LoopNest simplifyLoops(const LoopNest& nest) {
    LoopNest out = nest;
    out.body = Simplifier().rewrite(nest.body);
    return out;
}

LoopNest clampLoops(const LoopNest& nest) {
    LoopNest out = nest;
    out.body = clamped(nest.body);
    return out;
}

LoopNest optimizeLoops(const LoopNest& nest) {
    const LoopNest narrow = simplifyLoops(clampLoops(simplifyLoops(nest)));
    return simplifyLoops(partitionLoops(narrow));
}

} // namespace fw
