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
    // Lanes
    const std::int64_t block = m_tile.vectors * m_lanes;
    std::vector<Symbol> lanesOuter;
    Symbol lane = m_lane.var;
    if (m_group > 0) {
        lane = p.fresh(m_lane.var, "i");
        p.split(i, m_lane.var, m_groupVar, lane, m_group, Tail::Guard);
        lanesOuter.push_back(m_groupVar);
    }
    std::vector<Symbol> tile = splitLanes(lane, lanesOuter);
    const Symbol v1 = lanesOuter.back();
    // Rows
    Symbol t1, t0;
    if (!m_rows.empty()) {
        Symbol row = m_rows[0].var;
        for (std::size_t k = 1; k < m_rows.size(); ++k) {
            const Symbol both = p.fresh(row, m_rows[k].var.text());
            p.fuse(i, row, m_rows[k].var, both);
            row = both;
        }
        t1 = row;
        if (m_tile.rows > 1) {
            t1 = p.fresh(row, "1");
            t0 = p.fresh(row, "0");
            p.split(i, row, t1, t0, m_tile.rows, Tail::Peel);
            tile.insert(tile.begin(), t0);
        }
    }
    // Outer loops: what can be divided among threads first, as one loop.
    double vectorBytes = 0, otherBytes = 0;
    for (const Expr& load : m_loads)
        (isPackable(load) ? vectorBytes : otherBytes) += bytesOf(load);
    std::vector<Symbol> outer;
    for (const Axis& axis : m_axes)
        outer.push_back(axis.var);
    const std::int64_t blocks = m_groups * ((constantOr(m_lane.extent, 4096) + block - 1) / block);
    const bool rowsFirst = outer.empty() && !t1.empty() && blocks < p.context.threads * 2;
    if (m_lanesGuarded) {
        if (!t1.empty())
            outer.push_back(t1);
    } else if (vectorBytes > otherBytes) {
        outer.insert(outer.begin(), lanesOuter.begin(), lanesOuter.end());
    } else {
        outer.insert(outer.end(), lanesOuter.begin(), lanesOuter.end());
    }
    std::vector<Symbol> serial;
    if (m_lanesGuarded)
        serial = lanesOuter;
    else if (!t1.empty() && rowsFirst)
        outer.insert(outer.begin(), t1);
    else if (!t1.empty())
        serial.push_back(t1);
    std::vector<Symbol> all = outer;
    all.insert(all.end(), serial.begin(), serial.end());
    all.insert(all.end(), tile.begin(), tile.end());
    p.reorder(i, all);
    // A peeled loop stays one of its own.
    Symbol fused = outer.empty() ? Symbol() : outer[0];
    m_inner = serial.empty() ? Symbol() : serial.back();
    bool joinable = !fused.empty() && !(m_tile.rows > 1 && fused == t1);
    std::set<Symbol> shared; // the loops that the fused one is made of
    if (!fused.empty())
        shared.insert(fused);
    for (std::size_t k = 1; k < outer.size(); ++k) {
        if (!joinable || (m_tile.rows > 1 && outer[k] == t1)) {
            if (m_inner.empty() || serial.empty())
                m_inner = outer[k];
            joinable = false;
            continue;
        }
        const Symbol both = p.fresh(fused, outer[k].text());
        p.fuse(i, fused, outer[k], both);
        fused = both;
        shared.insert(outer[k]);
    }
    if (m_inner.empty())
        m_inner = fused;
    for (const Symbol loop : tile)
        p.mark(loop == tile.back() ? StepKind::Vectorize : StepKind::Unroll, i, loop);
    if (!fused.empty()) {
        double work = static_cast<double>(
            m_tile.vectors); // vector operations per iteration of the fused loop
        for (const Axis& axis : m_r.reduce)
            work *= static_cast<double>(constantOr(axis.extent, 64));
        if (!m_rows.empty())
            work *= static_cast<double>(shared.contains(t1) ? m_tile.rows
                                                            : constantOr(m_rowExtent, 64));
        if (!shared.contains(v1))
            work *= static_cast<double>(blocks);
        p.mark(StepKind::Parallel, i, fused, grainFor(work));
    }
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
    const std::size_t i = m_root;
    std::vector<Symbol> around, inside;
    Symbol slide;
    std::map<Symbol, Symbol> inner; // axis -> its loop further in
    double chunks = 1;
    for (const Axis& axis : m_whole) {
        const std::int64_t extent = constantOr(axis.extent, 1);
        const std::int64_t tiled = m_nest.into ? extent : m_nest.melted->tiles.at(axis.var);
        inner[axis.var] = axis.var;
        if (m_nest.into || (tiled >= extent && extent > 1))
            continue;
        Symbol outer = axis.var;
        if (tiled > 1) {
            outer = p.fresh(axis.var, "t");
            inner[axis.var] = p.fresh(axis.var, "b");
            p.split(i, axis.var, outer, inner[axis.var], tiled, Tail::Guard);
        } else {
            inner.erase(axis.var);
        }
        const std::int64_t tiles = (extent + tiled - 1) / tiled;
        if (axis.var == m_nest.melted->slides) {
            slide = outer;
            chunks *= static_cast<double>(tiles) / static_cast<double>(m_nest.melted->strip);
            if (m_nest.melted->strip < tiles) {
                const Symbol chunk = p.fresh(axis.var, "c");
                slide = p.fresh(axis.var, "s");
                p.split(i, outer, chunk, slide, m_nest.melted->strip, Tail::Guard);
                around.push_back(chunk);
            }
        } else {
            around.push_back(outer);
            chunks *= static_cast<double>(tiles);
        }
    }
    for (const Axis& axis : m_axes)
        if (inner.contains(axis.var))
            inside.push_back(inner.at(axis.var));
    std::vector<Symbol> tile = splitLanes(inner.at(m_lane.var), inside);
    if (!m_rows.empty()) {
        Symbol row = inner.at(m_rows[0].var);
        if (m_tile.rows > 1) {
            const Symbol t1 = p.fresh(m_rows[0].var, "1"), t0 = p.fresh(m_rows[0].var, "0");
            p.split(i, row, t1, t0, m_tile.rows, Tail::Peel);
            tile.insert(tile.begin(), t0);
            row = t1;
        }
        inside.push_back(row);
    }
    std::vector<Symbol> all = around;
    if (!slide.empty())
        all.push_back(slide);
    m_inner = inside.empty() ? all.back() : inside.back();
    all.insert(all.end(), inside.begin(), inside.end());
    all.insert(all.end(), tile.begin(), tile.end());
    p.reorder(i, all);
    for (const Symbol loop : tile)
        p.mark(loop == tile.back() ? StepKind::Vectorize : StepKind::Unroll, i, loop);
    m_around = slide;
    if (m_nest.into || around.empty())
        return;
    Symbol divided = around[0];
    for (std::size_t k = 1; k < around.size(); ++k) {
        const Symbol both = p.fresh(divided, around[k].text());
        p.fuse(i, divided, around[k], both);
        divided = both;
    }
    if (slide.empty())
        m_around = divided;
    if (m_inner == around.back())
        m_inner = divided;
    p.mark(StepKind::Parallel, i, divided, grainFor(p.work(m_reduction) / std::max(chunks, 1.0)));
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
