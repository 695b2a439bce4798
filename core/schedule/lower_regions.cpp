// Regions: what one iteration of the open loops needs of a stage that is computed there, by its own
// loops over a box of its axes.
#include "base/numbers.h"
#include "schedule/lower_nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace fw {

// Where the loop right around it runs one iteration after another and the box moves along one axis
// by the same distance each time, what the box of the iteration before holds is kept, in a ring of
// rows: only rows that are new are computed.
std::optional<NestLowering::Ring> NestLowering::ring(const Member& member,
                                                     const std::vector<BoxSpan>& spans) const {
    if (member.level == 0 || member.scheduled->recompute || m_open.empty())
        return std::nullopt;
    const ScheduledLoop& loop = m_root.loops[member.level - 1];
    if (m_open.back().var != loop.var || m_open.back().extent.isInt(1) ||
        loop.kind != LoopKind::Serial)
        return std::nullopt;
    // Another iteration may not be about other elements of an axis that has no box, nor be left
    // out between two that are not.
    const std::set<Symbol>& axes = m_origins.at(loop.var);
    if (std::any_of(member.fixed.begin(), member.fixed.end(),
                    [&](Symbol axis) { return axes.contains(axis); }))
        return std::nullopt;
    std::optional<Ring> out;
    for (std::size_t d = 0; d < spans.size(); ++d) {
        if (member.roles[d] != DimRole::Box)
            continue;
        const Expr &base = spans[d].base, next = varExpr(loop.var) + Expr(1);
        const auto step = simplify(substitute(base, {{loop.var, next}}) - base).asInt();
        if (!step)
            return std::nullopt;
        if (*step == 0)
            continue;
        const auto extent = spans[d].extent.asInt();
        if (out || axes.size() > 1 || !extent || std::abs(*step) >= *extent)
            return std::nullopt;
        out = Ring{d, *step, *extent};
    }
    // Lanes along the axis that moves would be gathered.
    if (out && lanesAlong(member, out->dim))
        return std::nullopt;
    if (out)
        return out;
    const auto box = std::find(member.roles.begin(), member.roles.end(), DimRole::Box);
    return Ring{static_cast<std::size_t>(box - member.roles.begin()), 0, 0};
}

// Whether lanes of its own lie along this axis.
bool NestLowering::isStoredByLanes(const Member& member, std::size_t dim) const {
    return !member.own.empty() && member.own.back().kind == LoopKind::Vector &&
           m_axes.origins().at(member.own.back().var).contains(Nest::ownAxis(member, dim));
}

// Whether lanes of it, or of what reads it, lie along this axis.
bool NestLowering::lanesAlong(const Member& member, std::size_t dim) const {
    const auto isLanes = [](const ScheduledLoop& loop) { return loop.kind == LoopKind::Vector; };
    if (isStoredByLanes(member, dim))
        return true;
    std::set<Symbol> lanes;
    const auto origins = m_axes.origins();
    const auto add = [&](const std::vector<ScheduledLoop>& loops) {
        for (const ScheduledLoop& loop : loops)
            if (isLanes(loop))
                lanes.insert(origins.at(loop.var).begin(), origins.at(loop.var).end());
    };
    add(m_root.loops);
    add(m_root.reduce);
    for (const Member& reader : m_members) {
        add(reader.own);
        add(reader.scheduled->reduce);
    }
    bool found = false;
    const auto look = [&](const Expr& body) {
        visitExpr(body, [&](const Expr& part) {
            if (part.op() != ExprOp::Load || part->symbol != member.stage.out)
                return;
            const std::set<Symbol> vars = freeVars(part.arg(dim));
            found = found || std::any_of(lanes.begin(), lanes.end(),
                                         [&](Symbol axis) { return vars.contains(axis); });
        });
    };
    look(m_stage.body);
    for (const Member& reader : m_members)
        look(reader.stage.body);
    return found;
}

// The axes as they lie in a buffer, slowest first: as the loops of the stage do, so that lanes lie
// side by side.
std::vector<std::size_t> NestLowering::bufferOrder(const Member& member) const {
    std::vector<std::size_t> order;
    const auto origins = m_axes.origins();
    for (std::size_t d = 0; d < member.roles.size(); ++d)
        order.push_back(d);
    const auto innermost = [&](std::size_t d) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < member.own.size(); ++i)
            if (origins.at(member.own[i].var).contains(Nest::ownAxis(member, d)))
                at = i + 1;
        return at;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return innermost(a) < innermost(b); });
    return order;
}

// Rows of the box that the iteration before did not have.
Expr NestLowering::isNew(const Member& member, const Ring& ring) const {
    const Expr loop = varExpr(m_root.loops[member.level - 1].var);
    if (ring.step == 0)
        return ltExpr(loop, Expr(1));
    const Expr row = varExpr(member.stage.space[ring.dim].var),
               kept = Expr(ring.extent - std::abs(ring.step)) * minExpr(loop, Expr(1));
    return ring.step > 0 ? leExpr(kept, row) : ltExpr(row, Expr(ring.extent) - kept);
}

// How many elements of each dimension lie in the buffer: of all together at most `most`.
std::vector<std::int64_t> NestLowering::regionSizes(const Member& member,
                                                    const std::vector<BoxSpan>& spans,
                                                    std::int64_t most) const {
    const std::string needed =
        "what " +
        (member.level > 0 ? "one iteration of " + m_root.loops[member.level - 1].var.text()
                          : m_root.name) +
        " needs of it";
    std::vector<std::int64_t> sizes(spans.size(), 1);
    std::int64_t all = 1;
    std::string told;
    for (std::size_t d = 0; d < spans.size(); ++d) {
        if (member.roles[d] != DimRole::Own && member.roles[d] != DimRole::Box)
            continue;
        const Expr& extent = spans[d].extent;
        const auto size = extent.asInt() ? extent.asInt() : boundsOf(extent, m_ranges).max;
        if (!size)
            m_nest.refuse(*member.scheduled,
                          fmt::format("{} has no bound: {} elements of its dimension {}", needed,
                                      extent.text(), member.stage.space[d].var.text()));
        sizes[d] = std::max<std::int64_t>(*size, 1);
        all = checkedMul(all, sizes[d]).value_or(std::numeric_limits<std::int64_t>::max());
        told += (told.empty() ? "" : " x ") + std::to_string(sizes[d]);
    }
    if (all > most)
        m_nest.refuse(*member.scheduled,
                      fmt::format("{} is too large: {} elements, and {} bytes can be held", needed,
                                  told, mostStackBytes));
    return sizes;
}

NestLowering::Region NestLowering::region(const Member& member, const PeelState& peel) const {
    const Stage& stage = member.stage;
    const DType dtype = m_group.inst.find(stage.out)->type.dtype;
    const std::vector<BoxSpan> spans = NestBoxes(m_nest, m_ranges).box(member, peel);
    const std::string loop = member.level > 0 ? m_root.loops[member.level - 1].var.text() : "";
    Region out;
    out.peel = peel;
    out.ring = ring(member, spans);
    out.slides.assign(spans.size(), Expr(0));
    Local& local = out.local;
    local.roles = member.roles;
    local.strides = local.base = out.slides;
    local.rows.assign(spans.size(), 0);
    const std::int64_t most = mostStackBytes / static_cast<std::int64_t>(dtypeBytes(dtype));
    std::vector<std::int64_t> sizes = regionSizes(member, spans, most);
    // A power of two spares a division.
    const std::int64_t all =
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    if (out.ring && out.ring->step != 0) {
        std::int64_t& rows = sizes[out.ring->dim];
        const auto even =
            static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(rows)));
        if (all / rows * even <= most)
            rows = even;
        local.rows[out.ring->dim] = rows;
    }
    std::int64_t size = 1;
    bool byLanes = false;
    const std::vector<std::size_t> order = bufferOrder(member);
    for (auto dim = order.rbegin(); dim != order.rend(); ++dim) {
        const std::size_t d = *dim;
        // No loop chooses among one element, but of lanes each has a place, though the tail leaves
        // the first one only.
        const bool isOne = sizes[d] == 1 && !isStoredByLanes(member, d);
        byLanes = byLanes || !isOne;
        local.strides[d] = Expr(isOne ? 0 : size);
        size *= sizes[d];
        const Expr &base = spans[d].base, &whole = stage.space[d].extent;
        if (member.roles[d] != DimRole::Box || spans[d].extent == whole)
            continue;
        const Expr var = varExpr(stage.space[d].var);
        local.base[d] = base;
        if (local.rows[d] != 0) {
            local.base[d] = simplify(substitute(base, {{Symbol(loop), Expr(0)}}), m_ranges);
            out.slides[d] = simplify(base - local.base[d], m_ranges);
        }
        out.peel.extents[stage.space[d].var] = spans[d].extent;
        out.moved.emplace(stage.space[d].var, base + var);
        out.inside.push_back(leExpr(Expr(0), base + var));
        out.inside.push_back(ltExpr(base + var, whole));
    }
    if (out.ring)
        out.inside.push_back(isNew(member, *out.ring));
    local.buffer = {stage.out, dtype, Expr(size),
                    size == 1 && !byLanes ? BufferScope::Register : BufferScope::Stack,
                    BufferAccess::ReadWrite};
    return out;
}

// What the readers of a member find: in a ring beyond the iteration at hand.
void NestLowering::hold(const Region& region, std::vector<Buffer>& buffers) {
    (region.ring ? m_open.back().kept : buffers).push_back(region.local.buffer);
    m_locals[region.local.buffer.name] = region.local;
}

// Where an index of a region lies in its buffer.
Expr NestLowering::placeIn(const Local& local, std::size_t dim, const Expr& index) const {
    return (local.rows[dim] == 0 ? index : modExpr(index, Expr(local.rows[dim]))) *
           local.strides[dim];
}

Stmt NestLowering::regionStore(const Region& region, const Exprs& indices, const Expr& stored,
                               const PeelState& peel) {
    const Local& local = region.local;
    Expr offset(0);
    for (std::size_t d = 0; d < indices.size(); ++d)
        if (local.roles[d] == DimRole::Own || local.roles[d] == DimRole::Box)
            offset =
                offset +
                placeIn(local, d, m_axes.through(indices[d], peel, m_ranges) + region.slides[d]);
    return storeStmt(local.buffer.name, simplify(offset, m_ranges),
                     castExpr(stored, local.buffer.dtype));
}

// In the variables of the sum whose loops the map has.
void NestLowering::expressBySum(Region& region, const Member& map) {
    Substitution own;
    for (const auto& [its, var] : map.sumAxes) {
        own.emplace(its, varExpr(var));
        if (const auto extent = region.peel.extents.find(its); extent != region.peel.extents.end())
            region.peel.extents[var] = extent->second;
    }
    for (const auto& [its, var] : map.sumAxes)
        if (const auto place = region.moved.find(its); place != region.moved.end())
            region.moved.emplace(var, substitute(place->second, own));
    for (Expr& inside : region.inside)
        inside = substitute(inside, own);
}

// The innermost loops of lanes and of straight-line code hold the sums; what they hold, or what a
// map makes of it, goes into the region.
Stmt NestLowering::regionReduction(const Member& member, const Member* map, const PeelState& peel,
                                   std::vector<Buffer>& buffers) {
    Region region = this->region(map != nullptr ? *map : member, peel);
    if (map != nullptr)
        expressBySum(region, *map);
    const auto isTile = [&](const ScheduledLoop& loop) {
        return (loop.kind == LoopKind::Vector || loop.kind == LoopKind::Unroll) &&
               !m_axes.peeledSplit(loop.var, region.peel);
    };
    const auto tile = std::find_if_not(member.own.rbegin(), member.own.rend(), isTile).base();
    Member inner = member;
    inner.tile.assign(tile, member.own.end());
    inner.roles.assign(member.roles.size(), DimRole::Tile);
    inner.stage.body = substitute(member.stage.body, region.moved);
    Walk plan;
    plan.loops.assign(member.own.begin(), tile);
    // What the tile chooses is asked inside it, all else before.
    const auto origins = m_axes.origins();
    std::set<Symbol> chosen;
    for (const ScheduledLoop& loop : inner.tile)
        chosen.insert(origins.at(loop.var).begin(), origins.at(loop.var).end());
    const auto isChosen = [&](const std::set<Symbol>& axes) {
        return std::any_of(axes.begin(), axes.end(),
                           [&](Symbol axis) { return chosen.contains(axis); });
    };
    inner.guards.clear();
    std::vector<Condition> tails;
    Exprs guards = member.guards;
    if (map != nullptr)
        guards.insert(guards.end(), map->guards.begin(), map->guards.end());
    guards.insert(guards.end(), region.inside.begin(), region.inside.end());
    for (const Expr& guard : guards)
        if (isChosen(freeVars(guard)))
            inner.guards.push_back(guard);
        else
            plan.conditions.push_back({std::nullopt, guard});
    for (Condition& tail : this->tails(member.scheduled->steps, member.stage.space))
        (isChosen(origins.at(m_axes.steps()[*tail.split].first)) ? tails : plan.conditions)
            .push_back(std::move(tail));
    plan.leaf = [&](const PeelState& at) {
        std::vector<Buffer> sums;
        std::vector<Stmt> parts{accumulated(inner, at, tails, sums)};
        Walk copy;
        copy.loops = inner.tile;
        copy.conditions = tails;
        addGuards(inner, copy.conditions);
        copy.leaf = [&](const PeelState& last) { return regionStored(region, member, map, last); };
        parts.push_back(walk(copy, 0, at, std::vector<bool>(copy.conditions.size(), false)));
        m_locals.erase(member.stage.out);
        Stmt out = blockStmt(std::move(parts));
        for (const Buffer& buffer : sums)
            out = allocStmt(buffer, std::move(out));
        return out;
    };
    Stmt out = walk(plan, 0, region.peel, std::vector<bool>(plan.conditions.size(), false));
    hold(region, buffers);
    return out;
}

// One element of a sum, while it lies in its accumulators.
Stmt NestLowering::regionStored(const Region& region, const Member& sum, const Member* map,
                                const PeelState& peel) {
    if (map == nullptr) {
        const Local& held = m_locals.at(sum.stage.out);
        return regionStore(region, sum.stage.store,
                           loadExpr(held.buffer.name, {held.tileOffset}, held.buffer.dtype), peel);
    }
    Substitution own;
    for (const auto& [its, var] : map->sumAxes)
        own.emplace(its, varExpr(var));
    Exprs indices;
    for (const Expr& index : map->stage.store)
        indices.push_back(substitute(index, own));
    const Expr body = substitute(substitute(map->stage.body, region.moved), own);
    return regionStore(region, indices, value(body, peel), peel);
}

GuardedBody NestLowering::guardedBodyOf(const Stage& stage) const {
    return guardedBody(stage.body, stage.reducer,
                       [&](Symbol tensor) { return m_group.inst.find(tensor)->type.shape; });
}

} // namespace fw
