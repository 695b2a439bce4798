// Peeled loops: complete tiles and what is left of them.
#include "schedule/lower_nest.h"

#include <algorithm>

namespace fw {

bool NestLowering::derivesVector(Symbol axis) const {
    std::set<Symbol> from{axis};
    for (const AxisStep& step : m_axes.steps())
        if (from.contains(step.first) || (step.isFuse && from.contains(step.second))) {
            from.insert(step.outer);
            if (!step.isFuse)
                from.insert(step.inner);
        }
    const auto isVector = [&](const ScheduledLoop& loop) {
        return loop.kind == LoopKind::Vector && from.contains(loop.var);
    };
    bool found = std::any_of(m_root.loops.begin(), m_root.loops.end(), isVector);
    for (const Member& member : m_members) {
        found = found || std::any_of(member.own.begin(), member.own.end(), isVector);
        found = found || std::any_of(member.scheduled->reduce.begin(),
                                     member.scheduled->reduce.end(), isVector);
    }
    return found;
}

// Whether the rows of the tile are written out, and those of no other tile: copies of copies would
// be too many. Not where a window slides along them: rows of images are long, and such code is.
bool NestLowering::takesFewRows(const Walk& plan, std::size_t split) const {
    const auto isWritten = [&](const AxisStep& step) {
        return !step.isFuse && step.tail == Tail::Peel &&
               std::any_of(plan.loops.begin(), plan.loops.end(), [&](const ScheduledLoop& loop) {
                   return loop.var == step.inner && loop.kind == LoopKind::Unroll;
               });
    };
    const std::vector<AxisStep>& steps = m_axes.steps();
    if (!isWritten(steps[split]) || std::count_if(steps.begin(), steps.end(), isWritten) != 1)
        return false;
    const std::set<Symbol> rows = m_axes.sources({steps[split].inner});
    const auto slides = [&](const Member& member) {
        bool out = false;
        visitExpr(member.stage.body, [&](const Expr& load) {
            if (load.op() != ExprOp::Load)
                return;
            for (const Expr& index : load.args()) {
                const std::set<Symbol> vars = freeVars(index);
                const auto isIn = [&](const Symbol var) { return vars.contains(var); };
                out = out || (std::any_of(rows.begin(), rows.end(), isIn) &&
                              std::any_of(member.stage.reduce.begin(), member.stage.reduce.end(),
                                          [&](const Axis& axis) { return isIn(axis.var); }));
            }
        });
        return out;
    };
    return std::none_of(m_members.begin(), m_members.end(), slides);
}

// Complete tiles, then the rest: as one smaller tile if its size is known, as one guarded tile if
// it is vectorized, as a few smaller ones if its rows are written out, else as tiles of
// one.
Stmt NestLowering::peeled(const Walk& plan, std::size_t at, std::size_t split,
                          const PeelState& peel, const std::vector<bool>& placed) {
    const AxisStep& step = m_axes.steps()[split];
    const Expr extent = m_axes.extents(peel).at(step.first), factor(step.factor);
    const Expr full = simplify(floorDivExpr(extent, factor)),
               rest = simplify(extent - full * factor);
    std::vector<Stmt> parts;
    if (!full.isInt(0)) {
        PeelState main = peel;
        main.extents[step.outer] = full;
        main.values[split] = varExpr(step.outer) * factor + varExpr(step.inner);
        parts.push_back(openLoop(plan, at, full, main, placed));
    }
    PeelState tail = peel;
    tail.extents[step.outer] = Expr(1);
    const std::vector<std::int64_t> nodes = at == 0 ? plan.nodes : std::vector<std::int64_t>{};
    if (rest.isInt() || derivesVector(step.inner)) {
        tail.values[split] = full * factor + varExpr(step.inner);
        const std::size_t facts = m_ranges.factCount();
        // The lanes of a vector stay; what is above them shrinks.
        const bool isLanes =
            std::any_of(plan.loops.begin(), plan.loops.end(), [&](const ScheduledLoop& loop) {
                return loop.var == step.inner && loop.kind == LoopKind::Vector;
            });
        if (rest.isInt() && !isLanes)
            tail.extents[step.inner] = rest;
        else
            tail.guards[split] = ltExpr(varExpr(step.inner), rest);
        if (!rest.isInt())
            m_ranges.assume(leExpr(Expr(1), rest));
        Stmt body = walk(plan, at + 1, tail, placed);
        m_ranges.dropFacts(facts);
        if (!rest.isInt())
            body = ifStmt(leExpr(Expr(1), rest), std::move(body));
        parts.push_back(nodes.empty() ? std::move(body) : blockStmt({std::move(body)}, nodes));
    } else if (takesFewRows(plan, split)) {
        parts.push_back(fewRows(plan, at, split, peel, placed));
    } else {
        tail.extents[step.outer] = rest;
        tail.extents[step.inner] = Expr(1);
        tail.values[split] = full * factor + varExpr(step.outer);
        parts.push_back(openLoop(plan, at, rest, tail, placed));
    }
    return blockStmt(std::move(parts));
}

// What is left of a tile whose rows are written out: tiles of eight rows, then one of exactly as
// many as are left. One row after the other would read what all rows share as often as there are
// rows, and wait for the sums of each.
Stmt NestLowering::fewRows(const Walk& plan, std::size_t at, std::size_t split,
                           const PeelState& peel, const std::vector<bool>& placed) {
    constexpr std::int64_t eight = 8;
    const AxisStep& step = m_axes.steps()[split];
    const Expr extent = m_axes.extents(peel).at(step.first), factor(step.factor);
    const std::vector<std::int64_t> nodes = at == 0 ? plan.nodes : std::vector<std::int64_t>{};
    Expr done = simplify(floorDivExpr(extent, factor) * factor);
    std::vector<Stmt> parts;
    Expr rest = simplify(extent - done);
    if (step.factor > eight) {
        const Expr tiles = floorDivExpr(rest, Expr(eight));
        PeelState tail = peel;
        tail.extents[step.outer] = tiles;
        tail.extents[step.inner] = Expr(eight);
        tail.values[split] = done + varExpr(step.outer) * Expr(eight) + varExpr(step.inner);
        parts.push_back(openLoop(plan, at, tiles, tail, placed));
        done = done + tiles * Expr(eight);
        rest = simplify(extent - done);
    }
    for (std::int64_t rows = std::min(eight, step.factor) - 1; rows > 0; --rows) {
        const Expr condition = eqExpr(rest, Expr(rows));
        PeelState tail = peel;
        tail.extents[step.outer] = Expr(1);
        tail.extents[step.inner] = Expr(rows);
        tail.values[split] = done + varExpr(step.inner);
        const std::size_t facts = m_ranges.factCount();
        m_ranges.assume(condition);
        Stmt body = walk(plan, at + 1, tail, placed);
        m_ranges.dropFacts(facts);
        body = ifStmt(condition, std::move(body));
        parts.push_back(nodes.empty() ? std::move(body) : blockStmt({std::move(body)}, nodes));
    }
    return blockStmt(std::move(parts));
}

} // namespace fw
