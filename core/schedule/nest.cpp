#include "schedule/nest.h"

#include "schedule/lower_body.h"
#include "schedule/nest_boxes.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::int64_t mapBufferBytes = 16384;

} // namespace

std::set<Symbol> loadedTensors(const Expr& e) {
    std::set<Symbol> out;
    visitExpr(e, [&](const Expr& part) {
        if (part.op() == ExprOp::Load)
            out.insert(part->symbol);
    });
    return out;
}

Nest::Nest(const ScheduledGroup& group, std::map<Symbol, MemoryTensor>& memory, std::size_t root)
    : m_group(group), m_memory(memory), m_root(group.stages[root]),
      m_stage(group.inst.stages[root]) {
    findMembers();
    joinMaps();
}

void Nest::refuse(const ScheduledStage& stage, const std::string& why) const {
    throw LowerRefusal{stage.name, why, stage.placed};
}

// What needs a buffer of its own cannot have one for each lane.
void Nest::refuseInVector(const ScheduledStage& stage, std::size_t level) const {
    if (std::any_of(m_root.loops.begin(), m_root.loops.begin() + static_cast<std::ptrdiff_t>(level),
                    [](const ScheduledLoop& loop) { return loop.kind == LoopKind::Vector; }))
        refuse(stage, "it lies inside a vectorized loop");
}

// What each dimension of a stage is in the nest: the root's, if every reader in the nest asks for
// it with the same variable.
std::map<Symbol, Symbol> Nest::dimensionsOfRoot(std::size_t index, const Mappings& mappings) const {
    const Stage& stage = m_group.inst.stages[index];
    std::vector<std::optional<Symbol>> found(stage.space.size());
    std::vector<bool> clash(stage.space.size(), false);
    bool read = false;
    for (const ScheduledStage& user : m_group.stages) {
        if (user.stage <= index || (user.stage != m_root.stage && user.consumer != m_root.stage))
            continue;
        visitExpr(m_group.inst.stages[user.stage].body, [&](const Expr& part) {
            if (part.op() != ExprOp::Load || part->symbol != stage.out)
                return;
            read = true;
            const auto known = mappings.find(user.stage);
            for (std::size_t d = 0; d < found.size(); ++d) {
                const bool isKnown = known != mappings.end() && part.arg(d).isVar() &&
                                     known->second.contains(part.arg(d)->symbol);
                if (!isKnown || (found[d] && *found[d] != known->second.at(part.arg(d)->symbol)))
                    clash[d] = true;
                else
                    found[d] = known->second.at(part.arg(d)->symbol);
            }
        });
    }
    // Memory that others read, too, is written as a whole.
    const bool whole = m_memory.contains(stage.out);
    for (std::size_t d = 0; whole && d < found.size(); ++d)
        clash[d] = clash[d] || (found[d] && !proveNonNegative(m_axes.extents({}).at(*found[d]) -
                                                              stage.space[d].extent));
    std::map<Symbol, Symbol> out;
    for (std::size_t d = 0; d < found.size(); ++d) {
        if (!read && stage.space.size() == m_stage.space.size() &&
            stage.space[d].extent == m_stage.space[d].extent)
            out[stage.space[d].var] = m_stage.space[d].var;
        else if (found[d] && !clash[d])
            out[stage.space[d].var] = *found[d];
    }
    return out;
}

void Nest::findMembers() {
    for (const Axis& axis : m_stage.space)
        m_axes.add(axis);
    for (const Axis& axis : m_stage.reduce)
        m_axes.add(axis);
    m_axes.add(m_root.steps);
    m_origins = m_axes.origins();
    Mappings mappings;
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
        auto& mapped = mappings[i] = dimensionsOfRoot(i, mappings);
        placeMember(i, mapped);
        // Own dimensions are loops of their own: who feeds this stage must not take them for the
        // root's.
        for (std::size_t d = 0; d < stage.space.size(); ++d)
            if (m_members.front().roles[d] == DimRole::Own ||
                m_members.front().roles[d] == DimRole::Box)
                mapped.erase(stage.space[d].var);
    }
    if (!m_stage.isMap())
        addOwnReduction();
}

// Over the tile inside the loop it accumulates in.
void Nest::addOwnReduction() {
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

Nest::Member Nest::begun(std::size_t index) const {
    Member member;
    member.scheduled = &m_group.stages[index];
    member.stage = m_group.inst.stages[index];
    member.inMemory = m_memory.contains(member.stage.out);
    if (!member.scheduled->loop.empty())
        while (m_root.loops[member.level++].var != member.scheduled->loop) {
        }
    for (const Member& reader : m_members)
        refuseInside(member, reader);
    return member;
}

void Nest::placeMember(std::size_t index, const std::map<Symbol, Symbol>& mapped) {
    Member member = begun(index);
    findRoles(member, mapped);
    Substitution rename;
    std::vector<Axis> ownAxes;
    std::set<Symbol> rootVars, tileAxes;
    for (std::size_t d = 0; d < member.roles.size(); ++d) {
        const Axis& axis = member.stage.space[d];
        const DimRole role = member.roles[d];
        if (role == DimRole::Own || role == DimRole::Box) {
            ownAxes.push_back(axis);
            continue;
        }
        const Symbol var = mapped.at(axis.var);
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
    addLoops(member, rename, tileAxes);
    member.stage.body = substitute(member.stage.body, rename);
    for (Expr& at : member.stage.store)
        at = substitute(at, rename);
    placeBuffer(member);
    if (member.inMemory)
        refuseRepeated(member, rootVars);
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

// Loops of its own are those that stem from Own dimensions.
void Nest::addLoops(Member& member, const Substitution& rename,
                    const std::set<Symbol>& tileAxes) const {
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
}

// What is too large for the stack gets memory of its own.
void Nest::placeBuffer(Member& member) {
    if (!member.stage.isMap() || member.inMemory || member.isBox())
        return;
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

// `rootVars`: of the root behind its dimensions. Other open loops would store the same again.
void Nest::refuseRepeated(const Member& member, const std::set<Symbol>& rootVars) const {
    const auto extents = m_axes.extents({});
    const auto isRootVar = [&](Symbol axis) { return rootVars.contains(axis); };
    const auto refuseOver = [&](Symbol over) {
        refuse(*member.scheduled,
               "every iteration over " + over.text() + " would write it to memory");
    };
    std::set<Symbol> open;
    for (std::size_t i = 0; i < member.level; ++i)
        open.insert(m_origins.at(m_root.loops[i].var).begin(),
                    m_origins.at(m_root.loops[i].var).end());
    for (const Symbol axis : open)
        if (!isRootVar(axis) && !extents.at(axis).isInt(1))
            refuseOver(axis);
    // A split of an axis of one entry may have more iterations than that.
    for (std::size_t i = 0; i < member.level; ++i) {
        const ScheduledLoop& loop = m_root.loops[i];
        const std::set<Symbol>& axes = m_origins.at(loop.var);
        if (loop.kind == LoopKind::Parallel && !extents.at(loop.var).isInt(1) &&
            std::none_of(axes.begin(), axes.end(), isRootVar))
            refuseOver(loop.var);
    }
}

// A map without loops of its own, of a sum that only it reads and that lies in a region, too.
void Nest::joinMaps() {
    const auto isPlain = [](const ScheduledLoop& loop) { return loop.kind == LoopKind::Serial; };
    for (Member& map : m_members) {
        if (!map.stage.isMap() || map.inMemory || !map.scheduled->steps.empty() ||
            !std::all_of(map.own.begin(), map.own.end(), isPlain) || map.own.empty())
            continue;
        for (std::size_t i = 0; i < m_members.size() && !map.sum; ++i) {
            Member& sum = m_members[i];
            if (sum.scheduled == &m_root || sum.level != map.level || sum.inMemory ||
                !sum.isBox() || sum.scheduled->recompute != map.scheduled->recompute)
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
bool Nest::roleByRole(const Member& map, const Stage& second, const Member& sum, const Stage& first,
                      const std::map<Symbol, Symbol>& axes) {
    const auto isOpen = [](DimRole role) { return role == DimRole::Fixed; };
    for (std::size_t d = 0; d < second.space.size(); ++d)
        for (std::size_t e = 0; e < first.space.size(); ++e)
            if (axes.at(second.space[d].var) == first.space[e].var &&
                isOpen(map.roles[d]) != isOpen(sum.roles[e]))
                return false;
    return true;
}

// The axis whose loops run over the dimension.
Symbol Nest::ownAxis(const Member& member, std::size_t dim) {
    const Symbol var = member.stage.space[dim].var;
    return member.sum ? member.sumAxes.at(var) : var;
}

void Nest::refuseInside(const Member& member, const Member& reader) const {
    if (reader.level < member.level && loadedTensors(reader.stage.body).contains(member.stage.out))
        refuse(*member.scheduled,
               fmt::format("{} is read outside the loop in which it is computed, by {}",
                           member.stage.out.text(), reader.scheduled->name));
}

void Nest::findRoles(Member& member, const std::map<Symbol, Symbol>& mapped) const {
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
    const Ranges ranges;
    if (isMap && isWhole(member, NestBoxes(*this, ranges).box(member, {})))
        std::replace(member.roles.begin(), member.roles.end(), DimRole::Box, DimRole::Own);
}

} // namespace fw
