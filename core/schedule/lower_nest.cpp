// Loops and conditions of a nest; bodies are in lower_members.cpp.
#include "schedule/lower_nest.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// Of buffers on the stack that live at once.
std::int64_t heldBytes(const Stmt& s) {
    std::int64_t most = 0;
    for (const Stmt& part : s->body)
        most = std::max(most, heldBytes(part));
    if (s.op() != StmtOp::Alloc || s->alloc.scope != BufferScope::Stack)
        return most;
    return most + *s->alloc.size.asInt() * static_cast<std::int64_t>(dtypeBytes(s->alloc.dtype));
}

} // namespace

NestLowering::NestLowering(const ScheduledGroup& group, std::map<Symbol, MemoryTensor>& memory,
                           std::size_t root)
    : m_nest(group, memory, root), m_group(group), m_memory(memory), m_root(m_nest.root()),
      m_stage(m_nest.stage()), m_axes(m_nest.axes()), m_origins(m_nest.origins()),
      m_members(m_nest.members()) {
    for (const Member& member : m_members)
        for (const std::int64_t node : member.stage.nodes)
            if (std::find(m_nodes.begin(), m_nodes.end(), node) == m_nodes.end())
                m_nodes.push_back(node);
    for (const std::int64_t node : m_stage.nodes)
        if (std::find(m_nodes.begin(), m_nodes.end(), node) == m_nodes.end())
            m_nodes.push_back(node);
    std::sort(m_nodes.begin(), m_nodes.end());
}

std::vector<NestLowering::Condition> NestLowering::tails(const std::vector<AxisStep>& steps,
                                                         const std::vector<Axis>& axes) const {
    std::vector<Condition> out;
    const auto origins = m_axes.origins();
    for (const AxisStep& step : steps) {
        if (step.isFuse || std::none_of(axes.begin(), axes.end(), [&](const Axis& axis) {
                return origins.at(step.first).contains(axis.var);
            }))
            continue;
        const auto& all = m_axes.steps();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (!all[i].isFuse && all[i].outer == step.outer)
                out.push_back({i, Expr()});
    }
    return out;
}

void NestLowering::addGuards(const Member& member, std::vector<Condition>& conditions) {
    for (const Expr& guard : member.guards)
        conditions.push_back({std::nullopt, guard});
}

Stmt NestLowering::lower() {
    Walk plan;
    plan.loops = m_root.loops;
    plan.conditions = tails(m_root.steps, m_stage.space);
    plan.leaf = [this](const PeelState& peel) { return rootLeaf(peel); };
    plan.nodes = m_nodes;
    plan.isRoot = true;
    const std::vector<bool> placed(plan.conditions.size(), false);
    Stmt out = walk(plan, 0, {}, placed);
    if (const std::int64_t held = heldBytes(out); held > mostHeldBytes && !m_members.empty())
        m_nest.refuse(*m_members.front().scheduled,
                      fmt::format("the nest of {} holds {} bytes at once, and {} can be held",
                                  m_root.name, held, mostHeldBytes));
    if (m_nodes.empty() || (out.op() == StmtOp::For && out->nodes == m_nodes))
        return out;
    return blockStmt({std::move(out)}, m_nodes);
}

// Conditions whose variables are all bound here, then what lies inside.
Stmt NestLowering::walk(const Walk& plan, std::size_t at, const PeelState& peel,
                        std::vector<bool> placed) {
    Expr now = boolExpr(true);
    const std::size_t facts = m_ranges.factCount();
    for (std::size_t i = 0; i < plan.conditions.size(); ++i) {
        if (placed[i])
            continue;
        const Condition& condition = plan.conditions[i];
        const Expr lowered = condition.split ? m_axes.tailGuard(*condition.split, peel, m_ranges)
                                             : value(condition.original, peel);
        if (lowered.isInt(1))
            continue; // a peeled copy further in may ask again
        const std::set<Symbol> vars = freeVars(lowered);
        // What is read in it was found to be there for points of the loops, if they have any.
        const bool reads = hasLoad(lowered);
        const auto needs = [&](const ScheduledLoop& loop) {
            return vars.contains(loop.var) ||
                   (reads &&
                    boundsOf(m_axes.extents(peel).at(loop.var), m_ranges).min.value_or(0) < 1);
        };
        const bool open = std::none_of(plan.loops.begin() + static_cast<std::ptrdiff_t>(at),
                                       plan.loops.end(), needs);
        if (!open)
            continue;
        placed[i] = true;
        if (const auto truth = decide(lowered, m_ranges); truth && *truth)
            continue;
        now = andExpr(now, lowered);
        m_ranges.assume(lowered);
    }
    Stmt inside = plan.isRoot
                      ? withMembers(at, peel, [&] { return walkInside(plan, at, peel, placed); })
                      : walkInside(plan, at, peel, placed);
    m_ranges.dropFacts(facts);
    return now.isInt(1) ? inside : ifStmt(now, std::move(inside));
}

Stmt NestLowering::walkInside(const Walk& plan, std::size_t at, const PeelState& peel,
                              const std::vector<bool>& placed) {
    if (at == plan.loops.size())
        return plan.leaf(peel);
    const Symbol var = plan.loops[at].var;
    if (const auto split = m_axes.peeledSplit(var, peel))
        return peeled(plan, at, *split, peel, placed);
    return openLoop(plan, at, m_axes.extents(peel).at(var), peel, placed);
}

Stmt NestLowering::openLoop(const Walk& plan, std::size_t at, const Expr& extent,
                            const PeelState& peel, const std::vector<bool>& placed) {
    const ScheduledLoop& loop = plan.loops[at];
    const std::size_t facts = m_ranges.factCount();
    if (!extent.isInt())
        m_ranges.assume(leExpr(Expr(1), extent));
    m_ranges.push(loop.var, Expr(0), simplify(extent - Expr(1), m_ranges));
    if (plan.isRoot)
        m_open.push_back({loop.var, extent, {}});
    Stmt body = walk(plan, at + 1, peel, placed);
    std::vector<Buffer> kept;
    if (plan.isRoot) {
        kept = std::move(m_open.back().kept);
        m_open.pop_back();
    }
    m_ranges.pop();
    m_ranges.dropFacts(facts);
    const std::vector<std::int64_t> nodes = at == 0 ? plan.nodes : std::vector<std::int64_t>{};
    if (loop.kind == LoopKind::Parallel)
        return parallelStmt(loop.var, extent, loop.grain, std::move(body), nodes);
    Stmt out = forStmt(loop.var, Expr(0), extent, loop.kind, std::move(body), nodes);
    for (auto buffer = kept.rbegin(); buffer != kept.rend(); ++buffer)
        out = allocStmt(*buffer, std::move(out));
    return out;
}

Stmt NestLowering::withMembers(std::size_t level, const PeelState& peel,
                               const std::function<Stmt()>& rest) {
    std::vector<Stmt> parts;
    std::vector<Buffer> buffers;
    std::vector<Symbol> locals;
    for (const Member& member : m_members) {
        if (member.level != level || member.isFollowed)
            continue;
        const Member* sum = member.sum ? &m_members[*member.sum] : nullptr;
        Stmt done = sum != nullptr         ? regionReduction(*sum, &member, peel, buffers)
                    : member.stage.isMap() ? mapMember(member, peel, buffers)
                    : member.isBox()       ? regionReduction(member, nullptr, peel, buffers)
                                           : reduction(member, peel, buffers);
        std::vector<std::int64_t> nodes = member.stage.nodes;
        if (sum != nullptr) {
            nodes.insert(nodes.end(), sum->stage.nodes.begin(), sum->stage.nodes.end());
            std::sort(nodes.begin(), nodes.end());
            nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        }
        parts.push_back(nodes.empty() ? std::move(done) : blockStmt({std::move(done)}, nodes));
        if (m_locals.contains(member.stage.out))
            locals.push_back(member.stage.out);
    }
    parts.push_back(rest());
    for (const Symbol local : locals)
        m_locals.erase(local);
    Stmt out = blockStmt(std::move(parts));
    for (auto buffer = buffers.rbegin(); buffer != buffers.rend(); ++buffer)
        out = allocStmt(*buffer, std::move(out));
    return out;
}

} // namespace fw
