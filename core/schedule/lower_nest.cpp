// Loops, members and conditions of a nest; bodies are in lower_members.cpp.
#include "schedule/lower_nest.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::int64_t mapBufferBytes = 16384;

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

std::set<Symbol> loadedTensors(const Expr& e) {
    std::set<Symbol> out;
    visitExpr(e, [&](const Expr& part) {
        if (part.op() == ExprOp::Load)
            out.insert(part->symbol);
    });
    return out;
}

NestLowering::NestLowering(const ScheduledGroup& group, std::map<Symbol, MemoryTensor>& memory,
                           std::size_t root)
    : m_group(group), m_memory(memory), m_root(group.stages[root]),
      m_stage(group.inst.stages[root]) {
    findMembers();
    joinMaps();
    for (const Member& member : m_members)
        for (const std::int64_t node : member.stage.nodes)
            if (std::find(m_nodes.begin(), m_nodes.end(), node) == m_nodes.end())
                m_nodes.push_back(node);
    for (const std::int64_t node : m_stage.nodes)
        if (std::find(m_nodes.begin(), m_nodes.end(), node) == m_nodes.end())
            m_nodes.push_back(node);
    std::sort(m_nodes.begin(), m_nodes.end());
}

void NestLowering::refuse(const ScheduledStage& stage, const std::string& why) const {
    throw LowerRefusal{stage.name, why, stage.placed};
}

// What needs a buffer of its own cannot have one for each lane.
void NestLowering::refuseInVector(const ScheduledStage& stage, std::size_t level) const {
    if (std::any_of(m_root.loops.begin(), m_root.loops.begin() + static_cast<std::ptrdiff_t>(level),
                    [](const ScheduledLoop& loop) { return loop.kind == LoopKind::Vector; }))
        refuse(stage, "it lies inside a vectorized loop");
}

void NestLowering::findMembers() {
    for (const Axis& axis : m_stage.space)
        m_axes.add(axis);
    for (const Axis& axis : m_stage.reduce)
        m_axes.add(axis);
    m_axes.add(m_root.steps);
    m_origins = m_axes.origins();
    std::map<std::size_t, std::map<Symbol, Symbol>> mappings; // stage -> its variable -> the root's
    for (const Axis& axis : m_stage.space)
        mappings[m_root.stage][axis.var] = axis.var;
    for (std::size_t i = m_group.stages.size(); i-- > 0;) {
        const ScheduledStage& scheduled = m_group.stages[i];
        if (scheduled.consumer != m_root.stage)
            continue;
        const Stage& stage = m_group.inst.stages[i];
        for (std::size_t d = 0; d < stage.space.size(); ++d)
            if (d >= stage.store.size() || !(stage.store[d] == varExpr(stage.space[d].var)))
                refuse(scheduled, "it stores at an offset");
        // A dimension is the root's if every reader in the nest asks for it with the same variable.
        std::vector<std::optional<Symbol>> found(stage.space.size());
        std::vector<bool> clash(stage.space.size(), false);
        bool read = false;
        for (const ScheduledStage& user : m_group.stages) {
            if (user.stage <= i || (user.stage != m_root.stage && user.consumer != m_root.stage))
                continue;
            visitExpr(m_group.inst.stages[user.stage].body, [&](const Expr& part) {
                if (part.op() != ExprOp::Load || part->symbol != stage.out)
                    return;
                read = true;
                const auto& known = mappings[user.stage];
                for (std::size_t d = 0; d < found.size(); ++d) {
                    const auto var =
                        part.arg(d).isVar() ? known.find(part.arg(d)->symbol) : known.end();
                    if (var == known.end() || (found[d] && *found[d] != var->second))
                        clash[d] = true;
                    else
                        found[d] = var->second;
                }
            });
        }
        // Memory that others read, too, is written as a whole.
        const bool whole = m_memory.contains(stage.out);
        for (std::size_t d = 0; whole && d < found.size(); ++d)
            clash[d] = clash[d] || (found[d] && !proveNonNegative(m_axes.extents({}).at(*found[d]) -
                                                                  stage.space[d].extent));
        for (std::size_t d = 0; d < found.size(); ++d) {
            if (!read && stage.space.size() == m_stage.space.size() &&
                stage.space[d].extent == m_stage.space[d].extent)
                mappings[i][stage.space[d].var] = m_stage.space[d].var;
            else if (found[d] && !clash[d])
                mappings[i][stage.space[d].var] = *found[d];
        }
        placeMember(i, mappings);
        // Own dimensions are loops of their own: who feeds this stage must not take them for the
        // root's.
        for (std::size_t d = 0; d < stage.space.size(); ++d)
            if (m_members.front().roles[d] == DimRole::Own ||
                m_members.front().roles[d] == DimRole::Box)
                mappings[i].erase(stage.space[d].var);
    }
    if (m_stage.isMap())
        return;
    // The root's own reduction, over the tile inside the loop it accumulates in.
    std::size_t level = m_root.loops.size();
    while (level > 0 && (m_root.loops[level - 1].kind == LoopKind::Vector ||
                         m_root.loops[level - 1].kind == LoopKind::Unroll))
        --level;
    if (m_root.accumulate) {
        level = 0;
        if (!m_root.accumulate->empty())
            while (m_root.loops[level++].var != *m_root.accumulate) {
            }
        refuseInVector(m_root, level);
        if (level == 0 && !m_root.loops.empty() && m_root.loops[0].kind == LoopKind::Parallel)
            refuse(m_root, "it lies outside a parallel loop");
    }
    Member member;
    member.scheduled = &m_root;
    member.stage = m_stage;
    member.level = level;
    member.roles.assign(m_stage.space.size(), DimRole::Tile);
    member.tile.assign(m_root.loops.begin() + static_cast<std::ptrdiff_t>(level),
                       m_root.loops.end());
    for (const Member& read : m_members)
        refuseInside(read, member);
    m_members.push_back(std::move(member));
}

// A map without loops of its own, of a sum that only it reads and that lies in a region, too.
void NestLowering::joinMaps() {
    const auto isBox = [](const Member& member) {
        return std::find(member.roles.begin(), member.roles.end(), DimRole::Box) !=
               member.roles.end();
    };
    const auto isPlain = [](const ScheduledLoop& loop) { return loop.kind == LoopKind::Serial; };
    for (Member& map : m_members) {
        if (!map.stage.isMap() || map.inMemory || !map.scheduled->steps.empty() ||
            !std::all_of(map.own.begin(), map.own.end(), isPlain) || map.own.empty())
            continue;
        for (std::size_t i = 0; i < m_members.size() && !map.sum; ++i) {
            Member& sum = m_members[i];
            if (sum.scheduled == &m_root || sum.level != map.level || sum.inMemory || !isBox(sum) ||
                sum.scheduled->recompute != map.scheduled->recompute)
                continue;
            const Stage &first = m_group.inst.stages[sum.scheduled->stage],
                        &second = m_group.inst.stages[map.scheduled->stage];
            const auto axes = followedAxes(second, first);
            const bool alone = std::none_of(
                m_group.stages.begin(), m_group.stages.end(), [&](const ScheduledStage& user) {
                    return user.stage != map.scheduled->stage &&
                           loadedTensors(m_group.inst.stages[user.stage].body).contains(first.out);
                });
            if (!axes || !alone || !roleByRole(map, second, sum, first, *axes))
                continue;
            map.sum = i;
            map.sumAxes = *axes;
            map.own = sum.own;
            sum.isFollowed = true;
        }
    }
}

// Whether the loops around say the same axes of both.
bool NestLowering::roleByRole(const Member& map, const Stage& second, const Member& sum,
                              const Stage& first, const std::map<Symbol, Symbol>& axes) {
    const auto isOpen = [](DimRole role) { return role == DimRole::Fixed; };
    for (std::size_t d = 0; d < second.space.size(); ++d)
        for (std::size_t e = 0; e < first.space.size(); ++e)
            if (axes.at(second.space[d].var) == first.space[e].var &&
                isOpen(map.roles[d]) != isOpen(sum.roles[e]))
                return false;
    return true;
}

// The axis whose loops run over the dimension.
Symbol NestLowering::ownAxis(const Member& member, std::size_t dim) {
    const Symbol var = member.stage.space[dim].var;
    return member.sum ? member.sumAxes.at(var) : var;
}

void NestLowering::refuseInside(const Member& member, const Member& reader) const {
    if (reader.level < member.level && loadedTensors(reader.stage.body).contains(member.stage.out))
        refuse(*member.scheduled,
               fmt::format("{} is read outside the loop in which it is computed, by {}",
                           member.stage.out.text(), reader.scheduled->name));
}

void NestLowering::findRoles(Member& member, const std::map<Symbol, Symbol>& mapped) const {
    std::set<Symbol> open, below;
    for (std::size_t i = 0; i < m_root.loops.size(); ++i)
        for (const Symbol axis : m_origins.at(m_root.loops[i].var))
            (i < member.level ? open : below).insert(axis);
    const bool isMap = member.stage.isMap();
    bool own = false;
    for (const Axis& axis : member.stage.space) {
        const auto known = mapped.find(axis.var);
        const DimRole role = known == mapped.end()                    ? DimRole::Own
                             : !below.contains(known->second)         ? DimRole::Fixed
                             : isMap && !open.contains(known->second) ? DimRole::Own
                                                                      : DimRole::Tile;
        if (member.inMemory && isMap && role == DimRole::Tile)
            refuse(*member.scheduled,
                   "a map that is read elsewhere cannot be computed tile by tile: " +
                       axis.var.text());
        if (member.inMemory && !isMap && role == DimRole::Own)
            refuse(*member.scheduled, "it is read elsewhere, and its dimension " + axis.var.text() +
                                          " is not one of the nest");
        const auto isSplit = [&](const AxisStep& step) {
            return step.first == axis.var || step.second == axis.var;
        };
        const auto& steps = member.scheduled->steps;
        const bool hasLoops = std::any_of(steps.begin(), steps.end(), isSplit);
        own = own || role == DimRole::Own || (isMap && role == DimRole::Tile) || hasLoops;
        member.roles.push_back(hasLoops && role == DimRole::Fixed ? DimRole::Own : role);
    }
    if (member.inMemory || !own) // accumulators over a tile of the root, or memory as a whole
        return;
    for (DimRole& role : member.roles)
        if (role != DimRole::Fixed)
            role = DimRole::Box;
    if (isMap && isWhole(member, box(member, {})))
        std::replace(member.roles.begin(), member.roles.end(), DimRole::Box, DimRole::Own);
}

void NestLowering::placeMember(std::size_t index,
                               const std::map<std::size_t, std::map<Symbol, Symbol>>& mappings) {
    Member member;
    member.scheduled = &m_group.stages[index];
    member.stage = m_group.inst.stages[index];
    member.inMemory = m_memory.contains(member.stage.out);
    const auto mapped = mappings.find(index);
    if (!member.scheduled->loop.empty())
        while (m_root.loops[member.level++].var != member.scheduled->loop) {
        }
    for (const Member& reader : m_members)
        refuseInside(member, reader);
    findRoles(member, mapped != mappings.end() ? mapped->second : std::map<Symbol, Symbol>());
    std::set<Symbol> open, tileAxes;
    for (std::size_t i = 0; i < member.level; ++i)
        open.insert(m_origins.at(m_root.loops[i].var).begin(),
                    m_origins.at(m_root.loops[i].var).end());
    Substitution rename;
    std::vector<Axis> ownAxes;
    std::set<Symbol> rootVars;
    for (std::size_t d = 0; d < member.roles.size(); ++d) {
        const Axis& axis = member.stage.space[d];
        const DimRole role = member.roles[d];
        if (role == DimRole::Own || role == DimRole::Box) {
            ownAxes.push_back(axis);
            continue;
        }
        const Symbol var = mapped->second.at(axis.var);
        if (role == DimRole::Fixed)
            member.fixed.insert(var);
        for (const AxisStep& step : member.scheduled->steps)
            if (step.first == axis.var || step.second == axis.var)
                refuse(*member.scheduled,
                       axis.var.text() + " is a loop of the nest and cannot be split here");
        rename.emplace(axis.var, varExpr(var));
        rootVars.insert(var);
        if (!proveNonNegative(axis.extent - m_axes.extents({}).at(var)))
            member.guards.push_back(ltExpr(varExpr(var), axis.extent));
        if (role == DimRole::Tile)
            tileAxes.insert(var);
    }
    // Loops over Own dimensions: those that stem from them.
    NestAxes own;
    for (const Axis& axis : member.stage.space)
        own.add(axis);
    for (const Axis& axis : member.stage.reduce)
        own.add(axis);
    own.add(member.scheduled->steps);
    const auto origins = own.origins();
    for (const ScheduledLoop& loop : member.scheduled->loops)
        if (!rename.contains(*origins.at(loop.var).begin()))
            member.own.push_back(loop);
    for (std::size_t i = member.level; i < m_root.loops.size(); ++i) {
        const auto& axes = m_origins.at(m_root.loops[i].var);
        const auto isTile = [&](Symbol axis) { return tileAxes.contains(axis); };
        if (std::none_of(axes.begin(), axes.end(), isTile))
            continue;
        if (!std::all_of(axes.begin(), axes.end(), isTile))
            refuse(*member.scheduled,
                   "it has only some of the axes fused in " + m_root.loops[i].var.text());
        member.tile.push_back(m_root.loops[i]);
    }
    member.stage.body = substitute(member.stage.body, rename);
    for (Expr& index2 : member.stage.store)
        index2 = substitute(index2, rename);
    const bool isBox =
        std::find(member.roles.begin(), member.roles.end(), DimRole::Box) != member.roles.end();
    if (member.stage.isMap() && !member.inMemory && !isBox) {
        // What is too large for the stack gets memory of its own.
        const TensorDecl& decl = *m_group.inst.find(member.stage.out);
        Expr size(static_cast<std::int64_t>(dtypeBytes(decl.type.dtype)));
        for (std::size_t d = 0; d < member.roles.size(); ++d)
            if (member.roles[d] == DimRole::Own)
                size = size * decl.type.shape[d];
        if (!size.isInt() || *size.asInt() > mapBufferBytes) {
            m_memory[decl.name] = {decl, StorageMap()};
            member.inMemory = true;
        }
    }
    if (member.inMemory) {
        const auto extents = m_axes.extents({});
        const auto refuseOver = [&](Symbol over) {
            refuse(*member.scheduled,
                   "every iteration over " + over.text() + " would write it to memory");
        };
        for (const Symbol axis : open)
            if (!rootVars.contains(axis) && !extents.at(axis).isInt(1))
                refuseOver(axis);
        // A split of an axis of one entry may have more iterations than that.
        for (std::size_t i = 0; i < member.level; ++i) {
            const ScheduledLoop& loop = m_root.loops[i];
            const std::set<Symbol>& axes = m_origins.at(loop.var);
            if (loop.kind == LoopKind::Parallel && !extents.at(loop.var).isInt(1) &&
                std::none_of(axes.begin(), axes.end(),
                             [&](Symbol axis) { return rootVars.contains(axis); }))
                refuseOver(loop.var);
        }
    }
    if (member.level == 0 && !member.inMemory && !m_root.loops.empty() &&
        m_root.loops[0].kind == LoopKind::Parallel)
        refuse(*member.scheduled, "it lies outside a parallel loop");
    if (!member.inMemory || !member.stage.isMap())
        refuseInVector(*member.scheduled, member.level);
    for (const Axis& axis : ownAxes)
        m_axes.add(axis);
    for (const Axis& axis : member.stage.reduce)
        m_axes.add(axis);
    m_axes.add(member.scheduled->steps);
    m_members.insert(m_members.begin(), std::move(member));
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
        refuse(*m_members.front().scheduled,
               fmt::format("the nest of {} holds {} bytes at once, and {} can be held", m_root.name,
                           held, mostHeldBytes));
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
        const bool isBox =
            std::find(member.roles.begin(), member.roles.end(), DimRole::Box) != member.roles.end();
        Stmt done = sum != nullptr         ? regionReduction(*sum, &member, peel, buffers)
                    : member.stage.isMap() ? mapMember(member, peel, buffers)
                    : isBox                ? regionReduction(member, nullptr, peel, buffers)
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
