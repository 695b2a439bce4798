// The template of contractions and windows: a tile of accumulators in registers.
//
// Lanes lie along the axis that is innermost in the storage of the result (output channels in
// channels-last, columns of a matrix product) or along the output channels all the same
// (schedule_tiled_lanes.cpp), a second axis is unrolled so that the tile fills the registers, and
// the reduction runs inside. What is computed from the result alone is applied at the store.
#include "schedule/tiled.h"

#include "schedule/lower_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace fw {

namespace {

constexpr std::int64_t unrollLimit = 800; // multiply-adds in straight-line code

} // namespace

TiledPlan::TiledPlan(SchedulePlanner& planner, const NestPlan& nest, bool contraction)
    : m_planner(planner), m_root(nest.root), m_contraction(contraction), m_nest(nest) {}

Refused TiledPlan::run() {
    if (auto why = findReduction())
        return why;
    if (auto why = chooseLanes())
        return why;
    const bool melts = m_nest.melted || m_nest.into;
    if (melts)
        if (auto why = limitAxes())
            return why;
    chooseRows();
    chooseTile();
    packConstants();
    melts ? addMeltedLoops() : addLoops();
    addReduction();
    return {};
}

Refused TiledPlan::lane(Axis& out, Symbol& rows) {
    if (auto why = findReduction())
        return why;
    if (auto why = chooseLanes())
        return why;
    if (m_group > 0 || m_lanesGuarded)
        return "its lanes lie in groups, or under a condition";
    out = m_lane;
    chooseRows();
    rows = m_rows.empty() ? Symbol() : m_rows.back().var;
    return {};
}

// To what one iteration of the loops around computes.
Refused TiledPlan::limitAxes() {
    if (m_group > 0 || m_lanesGuarded)
        return "its lanes lie in groups, or under a condition";
    m_whole = m_planner.storageSpace(m_root);
    const std::map<Symbol, std::int64_t>& inside =
        m_nest.into ? m_nest.into->box : m_nest.melted->tiles;
    const auto limit = [&](Axis& axis) {
        if (const auto found = inside.find(axis.var); found != inside.end())
            axis.extent = Expr(std::min(found->second, constantOr(axis.extent, found->second)));
    };
    limit(m_lane);
    for (Axis& axis : m_axes)
        limit(axis);
    return {};
}

Refused TiledPlan::findReduction() {
    const Stage& root = m_planner.stage(m_root);
    if (!root.isMap()) {
        if (!m_nest.members.empty())
            return "it needs other values of the row first";
        m_reduction = m_root;
    } else {
        if (m_nest.members.size() != 1)
            return m_nest.members.empty() ? "nothing is reduced" : "several stages share the row";
        m_reduction = m_nest.members[0];
    }
    m_r = m_planner.stage(m_reduction);
    if (m_r.isMap())
        return "nothing is reduced";
    if (m_r.space.size() != root.space.size())
        return "the result of the reduction is used along a longer axis";
    // The reduction's variables, by the root's.
    for (const Axis& axis : root.space)
        m_own[axis.var] = axis.var;
    if (m_reduction != m_root)
        for (const Expr& load : m_planner.loads(root.body))
            if (load->symbol == m_r.out)
                for (std::size_t d = 0; d < m_r.space.size(); ++d)
                    m_own[load.arg(d)->symbol] = m_r.space[d].var;
    const GuardedBody guarded = guardedBody(m_r.body, m_r.reducer, [&](Symbol tensor) {
        return m_planner.inst.find(tensor)->type.shape;
    });
    m_body = guarded.body;
    Ranges ranges;
    for (const auto* axes : {&m_r.space, &m_r.reduce})
        for (const Axis& axis : *axes)
            ranges.push(axis.var, Expr(0), axis.extent - Expr(1));
    for (const Expr& condition : guarded.conditions)
        if (!decide(condition, ranges).value_or(false))
            m_conditions.push_back(condition); // the others hold for every element
    m_loads = m_planner.loads(m_body);
    const bool product =
        m_r.reducer == Reducer::Sum && m_body.op() == ExprOp::Mul && m_loads.size() >= 2;
    if (m_contraction && !product)
        return "it is no sum of products";
    return {};
}

// The unrolled axis: one on which the operand read in lanes does not depend, the innermost of
// those.
void TiledPlan::chooseRows() {
    const auto reuses = [&](const Axis& axis) {
        if (!m_scattered.empty())
            return staysAlong(m_scattered, axis);
        return std::any_of(m_vectorLoads.begin(), m_vectorLoads.end(), [&](const Expr& load) {
            return std::none_of(load.args().begin(), load.args().end(), [&](const Expr& index) {
                return usesVar(index, m_own.at(axis.var));
            });
        });
    };
    std::optional<std::size_t> chosen;
    for (std::size_t i = m_axes.size(); i-- > 0 && !chosen;)
        if (!m_axes[i].extent.isInt(1) && reuses(m_axes[i]))
            chosen = i;
    for (std::size_t i = m_axes.size(); i-- > 0 && !chosen;)
        if (!m_axes[i].extent.isInt(1))
            chosen = i;
    if (!chosen)
        return;
    m_rows = {m_axes[*chosen]};
    m_axes.erase(m_axes.begin() + static_cast<std::ptrdiff_t>(*chosen));
    // Outer neighbours that continue it in every access.
    while (m_whole.empty() && *chosen > 0 && canJoin(m_axes[*chosen - 1], m_rows.front())) {
        --*chosen;
        m_rows.insert(m_rows.begin(), m_axes[*chosen]);
        m_axes.erase(m_axes.begin() + static_cast<std::ptrdiff_t>(*chosen));
    }
    m_rowExtent = Expr(1);
    for (const Axis& axis : m_rows)
        m_rowExtent = simplify(m_rowExtent * axis.extent);
}

bool TiledPlan::canJoin(const Axis& outer, const Axis& inner) const {
    if (conditioned(outer.var) || conditioned(inner.var))
        return false;
    const Axis a{m_own.at(outer.var), outer.extent}, b{m_own.at(inner.var), inner.extent};
    const auto together = [](const Expr& offset, const Axis& slow, const Axis& fast) {
        const auto x = symbolicLinear(offset, slow.var), y = symbolicLinear(offset, fast.var);
        return x && y && proveEqual(x->coefficient, y->coefficient * fast.extent);
    };
    return m_planner.fusible({m_root}, outer, inner) &&
           std::all_of(m_loads.begin(), m_loads.end(), [&](const Expr& load) {
               return together(m_planner.offset(load->symbol, load.args()), a, b);
           });
}

// Cycles per step of the reduction, for a model with two multiply-adds and two loads a cycle.
double TiledPlan::stepCost(std::int64_t rows, std::int64_t vectors) const {
    const auto t = static_cast<double>(rows), n = static_cast<double>(vectors);
    double loads = 0, runs = 0;
    for (const Expr& load : m_loads) {
        const bool lanes = std::any_of(m_vectorLoads.begin(), m_vectorLoads.end(),
                                       [&](const Expr& e) { return e == load; });
        const bool moves =
            !m_rows.empty() &&
            std::any_of(load.args().begin(), load.args().end(), [&](const Expr& index) {
                return usesVar(index, m_own.at(m_rows.back().var));
            });
        const bool gathered =
            std::find(m_scattered.begin(), m_scattered.end(), load) != m_scattered.end();
        const double each = gathered ? n * static_cast<double>(m_lanes) : lanes ? n : 1;
        loads += each * (moves ? t : 1);
        // Every row is a run of memory of its own, and short runs come slowly.
        if (lanes && moves)
            runs += t * 0.3;
    }
    return std::max({t * n / 2, loads / 2, 4.0}) + runs + 0.6;
}

// Rows a multiple of 4 KB apart share one set of the first cache: more than its ways evict each
// other. Rows a free distance apart take an address in a register each; with more of them than
// there are, they are read before they are needed, into registers of vectors that sums should have.
std::int64_t TiledPlan::mostRows() const {
    constexpr std::int64_t page = 4096, ways = 6, addresses = 8;
    std::int64_t most = m_planner.context.vectorRegisters - 4;
    for (const Expr& load : m_loads)
        if (!m_rows.empty() && !isPackable(load)) {
            const Symbol row = m_own.at(m_rows.back().var);
            const auto stride = m_planner.stride(load, row);
            if (stride && *stride != 0 && *stride * 4 % page == 0)
                return ways;
            const auto linear = symbolicLinear(m_planner.offset(load->symbol, load.args()), row);
            if (linear && !linear->coefficient.isInt())
                most = std::min(most, addresses);
        }
    return most;
}

void TiledPlan::chooseTile() {
    const std::int64_t lanes = m_lanes, registers = m_planner.context.vectorRegisters;
    const std::int64_t wide = constantOr(m_lane.extent, 4096),
                       tall = m_rows.empty() ? 1 : constantOr(m_rowExtent, 4096);
    double best = INFINITY;
    for (std::int64_t vectors = 1; vectors <= 8; ++vectors) {
        if (vectors > 1 && (vectors - 1) * lanes >= wide)
            break;
        for (std::int64_t rows = 1; rows <= std::min(tall, mostRows()); ++rows) {
            if (rows * vectors + vectors + 1 > registers || (vectors > 4 && rows > 1))
                continue;
            const auto blocks =
                static_cast<double>((wide + vectors * lanes - 1) / (vectors * lanes));
            const std::int64_t rest = tall % rows;
            const double cost =
                blocks * (static_cast<double>(tall / rows) * stepCost(rows, vectors) +
                          (rest > 0 ? stepCost(rest, vectors) : 0));
            if (cost < best * 0.999) {
                best = cost;
                m_tile = {rows, vectors};
            }
        }
    }
}

void TiledPlan::packConstants() {
    std::int64_t block = m_tile.vectors * m_lanes;
    // Tiles that reach beyond their group read the weights of the next one: lines of all
    // groups, not a multiple of 4 KB apart and long enough for the last tile.
    if (m_group % block != 0) {
        constexpr std::int64_t vector = 16, page = 1024;
        block = ((m_groups - 1) * m_group + (m_group + block - 1) / block * block + vector - 1) /
                vector * vector;
        if (block % page == 0)
            block += vector;
    }
    for (const Expr& load : m_loads) {
        if (!isPackable(load))
            continue;
        // Outer axes of the result, then blocks of lanes, then the reduction in its order,
        // lanes last.
        std::vector<std::pair<int, int>> order;
        int laneDim = 0;
        for (std::size_t d = 0; d < load.args().size(); ++d) {
            const Expr& index = load.arg(d);
            int rank = 0;
            if (usesVar(index, m_own.at(m_lane.var))) {
                rank = 1;
                laneDim = static_cast<int>(d);
            } else {
                const std::vector<Symbol> reduce = reduceOrder();
                for (std::size_t k = 0; k < reduce.size(); ++k)
                    if (usesVar(index, reduce[k]))
                        rank = 2 + static_cast<int>(k);
                if (index.isConstant())
                    rank = 2;
            }
            order.emplace_back(rank, static_cast<int>(d));
        }
        std::stable_sort(order.begin(), order.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        StorageMap map;
        for (const auto& [rank, dim] : order)
            map.axes.push_back({dim, rank == 1 ? block : 1, 0});
        map.axes.push_back({laneDim, 1, block});
        m_planner.packs[load->symbol] = map;
    }
}

// Windows outside, then what every element sums over; the axis along memory last.
std::vector<Symbol> TiledPlan::reduceOrder() const {
    std::vector<std::pair<int, Symbol>> ranked;
    for (const Axis& axis : m_r.reduce) {
        bool window = std::any_of(m_conditions.begin(), m_conditions.end(),
                                  [&](const Expr& e) { return usesVar(e, axis.var); });
        bool along = false;
        for (const Expr& load : m_loads) {
            for (const Expr& index : load.args())
                window = window || (usesVar(index, axis.var) && freeVars(index).size() > 1 &&
                                    sharesSpace(index));
            along = along || (!isPackable(load) && m_planner.stride(load, axis.var) == 1);
        }
        ranked.emplace_back(window ? 0 : along ? 2 : 1, axis.var);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Symbol> out;
    for (const auto& [rank, var] : ranked)
        out.push_back(var);
    return out;
}

// The index moves with a result axis other than the lanes.
bool TiledPlan::sharesSpace(const Expr& index) const {
    return std::any_of(m_r.space.begin(), m_r.space.end(), [&](const Axis& axis) {
        return axis.var != m_own.at(m_lane.var) && usesVar(index, axis.var);
    });
}

double TiledPlan::bytesOf(const Expr& load) const {
    double out = 4;
    for (const Dim& dim : m_planner.inst.find(load->symbol)->type.shape)
        out *= static_cast<double>(constantOr(dim, 64));
    return out;
}

void TiledPlan::addLoops() {
    SchedulePlanner& p = m_planner;
    const std::size_t i = m_root;
    std::vector<Symbol> order;
    for (const auto* axes : {&m_axes, &m_rows})
        for (const Axis& axis : *axes)
            order.push_back(axis.var);
    order.push_back(m_lane.var);
    p.reorder(i, order);
    OuterLoops loops;
    Symbol lane = m_lane.var;
    if (m_group > 0) {
        lane = p.fresh(m_lane.var, "i");
        p.split(i, m_lane.var, m_groupVar, lane, m_group, Tail::Guard);
        loops.lanes.push_back(m_groupVar);
    }
    std::vector<Symbol> tile = splitLanes(lane, loops.lanes);
    if (!m_rows.empty()) {
        std::vector<Symbol> rows;
        for (const Axis& axis : m_rows)
            rows.push_back(axis.var);
        const Symbol row = p.fuseAll(i, rows);
        loops.rows = splitRows(row, row, tile);
    }
    orderOuter(loops);
    std::vector<Symbol> all = loops.divided;
    all.insert(all.end(), loops.serial.begin(), loops.serial.end());
    all.insert(all.end(), tile.begin(), tile.end());
    p.reorder(i, all);
    fuseOuter(loops);
    markTile(tile);
    if (loops.fused.empty())
        return;
    // Vector operations per iteration of the fused loop.
    auto work = static_cast<double>(m_tile.vectors);
    for (const Axis& axis : m_r.reduce)
        work *= static_cast<double>(constantOr(axis.extent, 64));
    if (!m_rows.empty())
        work *= static_cast<double>(
            loops.shared.contains(loops.rows) ? m_tile.rows : constantOr(m_rowExtent, 64));
    if (!loops.shared.contains(loops.lanes.back()))
        work *= static_cast<double>(laneBlocks());
    p.mark(StepKind::Parallel, i, loops.fused, grainFor(work));
}

std::int64_t TiledPlan::laneBlocks() const {
    const std::int64_t block = m_tile.vectors * m_lanes;
    return m_groups * ((constantOr(m_lane.extent, 4096) + block - 1) / block);
}

// What can be divided among threads first.
void TiledPlan::orderOuter(OuterLoops& loops) const {
    double vectorBytes = 0, otherBytes = 0;
    for (const Expr& load : m_loads)
        (isPackable(load) ? vectorBytes : otherBytes) += bytesOf(load);
    std::vector<Symbol>& outer = loops.divided;
    for (const Axis& axis : m_axes)
        outer.push_back(axis.var);
    const bool hasRows = !loops.rows.empty();
    const bool rowsFirst = outer.empty() && hasRows && laneBlocks() < m_planner.context.threads * 2;
    if (m_lanesGuarded) {
        if (hasRows)
            outer.push_back(loops.rows);
        loops.serial = loops.lanes;
        return;
    }
    outer.insert(vectorBytes > otherBytes ? outer.begin() : outer.end(), loops.lanes.begin(),
                 loops.lanes.end());
    if (hasRows && rowsFirst)
        outer.insert(outer.begin(), loops.rows);
    else if (hasRows)
        loops.serial.push_back(loops.rows);
}

// A peeled loop stays one of its own.
void TiledPlan::fuseOuter(OuterLoops& loops) {
    const auto isPeeled = [&](Symbol loop) { return m_tile.rows > 1 && loop == loops.rows; };
    const std::vector<Symbol>& outer = loops.divided;
    m_inner = loops.serial.empty() ? Symbol() : loops.serial.back();
    std::size_t joined = outer.empty() ? 0 : 1;
    while (joined > 0 && joined < outer.size() && !isPeeled(outer[0]) && !isPeeled(outer[joined]))
        ++joined;
    const auto end = outer.begin() + static_cast<std::ptrdiff_t>(joined);
    loops.shared.insert(outer.begin(), end);
    loops.fused = m_planner.fuseAll(m_root, {outer.begin(), end});
    if (loops.serial.empty())
        m_inner = joined < outer.size() ? outer.back() : loops.fused;
}

void TiledPlan::markTile(const std::vector<Symbol>& tile) {
    for (const Symbol loop : tile)
        m_planner.mark(loop == tile.back() ? StepKind::Vectorize : StepKind::Unroll, m_root, loop);
}

// The loop over tiles of rows; that over the rows of one goes into the tile. Names begin with
// `base`.
Symbol TiledPlan::splitRows(Symbol row, Symbol base, std::vector<Symbol>& tile) {
    if (m_tile.rows <= 1)
        return row;
    const Symbol outer = m_planner.fresh(base, "1"), inner = m_planner.fresh(base, "0");
    m_planner.split(m_root, row, outer, inner, m_tile.rows, Tail::Peel);
    tile.insert(tile.begin(), inner);
    return outer;
}

// The loops of a tile's vectors; that over tiles goes to `outer`.
std::vector<Symbol> TiledPlan::splitLanes(Symbol lane, std::vector<Symbol>& outer) {
    SchedulePlanner& p = m_planner;
    const Symbol v1 = p.fresh(m_lane.var, "1");
    outer.push_back(v1);
    if (m_tile.vectors == 1) {
        const Symbol vl = p.fresh(m_lane.var, "l");
        p.split(m_root, lane, v1, vl, m_lanes, Tail::Guard);
        return {vl};
    }
    const Symbol v0 = p.fresh(m_lane.var, "0"), vu = p.fresh(m_lane.var, "u"),
                 vl = p.fresh(m_lane.var, "l");
    p.split(m_root, lane, v1, v0, m_tile.vectors * m_lanes, Tail::Guard);
    p.split(m_root, v0, vu, vl, m_lanes, Tail::Guard);
    return {vu, vl};
}

// Of a root: the loops around, of which the first are divided among threads, then those over what
// one iteration computes. Of a stage that is melted into it: the latter only.
void TiledPlan::addMeltedLoops() {
    SchedulePlanner& p = m_planner;
    MeltedAround loops;
    for (const Axis& axis : m_whole)
        cutMelted(axis, loops);
    std::vector<Symbol> inside;
    for (const Axis& axis : m_axes)
        if (loops.inner.contains(axis.var))
            inside.push_back(loops.inner.at(axis.var));
    std::vector<Symbol> tile = splitLanes(loops.inner.at(m_lane.var), inside);
    if (!m_rows.empty())
        inside.push_back(splitRows(loops.inner.at(m_rows[0].var), m_rows[0].var, tile));
    const std::vector<Symbol>& around = loops.around;
    std::vector<Symbol> all = around;
    if (!loops.slide.empty())
        all.push_back(loops.slide);
    m_inner = inside.empty() ? all.back() : inside.back();
    all.insert(all.end(), inside.begin(), inside.end());
    all.insert(all.end(), tile.begin(), tile.end());
    p.reorder(m_root, all);
    markTile(tile);
    m_around = loops.slide;
    if (m_nest.into || around.empty())
        return;
    const Symbol divided = p.fuseAll(m_root, around);
    if (loops.slide.empty())
        m_around = divided;
    if (m_inner == around.back())
        m_inner = divided;
    p.mark(StepKind::Parallel, m_root, divided,
           grainFor(p.work(m_reduction) / std::max(loops.chunks, 1.0)));
}

void TiledPlan::cutMelted(const Axis& axis, MeltedAround& loops) {
    SchedulePlanner& p = m_planner;
    const std::int64_t extent = constantOr(axis.extent, 1);
    const std::int64_t tiled = m_nest.into ? extent : m_nest.melted->tiles.at(axis.var);
    loops.inner[axis.var] = axis.var;
    if (m_nest.into || (tiled >= extent && extent > 1))
        return;
    Symbol outer = axis.var;
    if (tiled > 1) {
        outer = p.fresh(axis.var, "t");
        loops.inner[axis.var] = p.fresh(axis.var, "b");
        p.split(m_root, axis.var, outer, loops.inner[axis.var], tiled, Tail::Guard);
    } else {
        loops.inner.erase(axis.var);
    }
    const std::int64_t tiles = (extent + tiled - 1) / tiled, strip = m_nest.melted->strip;
    if (axis.var != m_nest.melted->slides) {
        loops.around.push_back(outer);
        loops.chunks *= static_cast<double>(tiles);
        return;
    }
    loops.slide = outer;
    loops.chunks *= static_cast<double>(tiles) / static_cast<double>(strip);
    if (strip < tiles) {
        const Symbol chunk = p.fresh(axis.var, "c");
        loops.slide = p.fresh(axis.var, "s");
        p.split(m_root, outer, chunk, loops.slide, strip, Tail::Guard);
        loops.around.push_back(chunk);
    }
}

void TiledPlan::addReduction() {
    SchedulePlanner& p = m_planner;
    const std::vector<Symbol> reduce = reduceOrder();
    p.reorder(m_reduction, reduce);
    // A window along the rows is unrolled, so that taps outside vanish from the edge tiles.
    if (!m_rows.empty() && m_tile.rows > 1) {
        const Symbol row = m_own.at(m_rows.back().var);
        std::int64_t copies = m_tile.rows * m_tile.vectors;
        for (const Axis& axis : m_r.reduce) {
            const bool both =
                std::any_of(m_conditions.begin(), m_conditions.end(),
                            [&](const Expr& e) { return usesVar(e, axis.var) && usesVar(e, row); });
            const auto extent = axis.extent.asInt();
            if ((both || isInsideGroup(axis.var)) && extent && copies * *extent <= unrollLimit) {
                p.mark(StepKind::Unroll, m_reduction, axis.var);
                copies *= *extent;
            }
        }
    }
    if (m_nest.into)
        p.at(m_root, m_nest.into->root, m_nest.into->loop);
    else if (m_reduction == m_root)
        p.accumulate(m_root, m_inner);
    else
        p.at(m_reduction, m_root, m_inner);
}

Refused planContraction(SchedulePlanner& planner, const NestPlan& nest) {
    return TiledPlan(planner, nest, true).run();
}

Refused planWindow(SchedulePlanner& planner, const NestPlan& nest) {
    if (!planContraction(planner, nest))
        return {};
    return TiledPlan(planner, nest, false).run();
}

} // namespace fw
