// Which axis the lanes of a tile lie along, and what they are where operands change from lane to
// lane.
#include "schedule/tiled.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace fw {

// The index is the lane, in its group if there are groups.
bool TiledPlan::isLane(const Expr& index) const {
    const Symbol lane = m_own.at(m_lane.var);
    if (index.isVar())
        return index->symbol == lane;
    return m_group > 0 && proveEqual(index, varExpr(m_groupVar) * Expr(m_group) + varExpr(lane));
}

bool TiledPlan::isPackable(const Expr& load) const {
    const Symbol name = load->symbol;
    if (!m_planner.context.constants.contains(name) || m_planner.readers(name).size() != 1)
        return false;
    if (std::count_if(m_loads.begin(), m_loads.end(),
                      [&](const Expr& other) { return other->symbol == name; }) != 1)
        return false;
    const Symbol lane = m_own.at(m_lane.var);
    int uses = 0;
    for (const Expr& index : load.args())
        if (usesVar(index, lane))
            uses += isLane(index) ? 1 : 2;
    return uses == 1;
}

// A grouped convolution takes other operands every so many lanes. If that many fill vectors,
// lanes stay inside a group; if they are a part of one, a vector holds several whole groups and
// its operands are shuffled (codegen/emit_shuffle.cpp).
void TiledPlan::findGroups() {
    const Symbol own = m_own.at(m_lane.var);
    const auto extent = m_lane.extent.asInt();
    std::set<std::int64_t> periods;
    for (const Expr& load : m_loads)
        for (const Expr& index : load.args())
            visitExpr(index, [&](const Expr& e) {
                const bool turns = e.op() == ExprOp::FloorDiv || e.op() == ExprOp::Mod;
                if (turns && usesVar(e, own))
                    periods.insert(e.arg(0).isVar() ? e.arg(1).asInt().value_or(0) : 0);
            });
    const std::int64_t period = periods.size() == 1 ? *periods.begin() : 0;
    if (!extent || period < 2 || period >= *extent || *extent % period != 0)
        return;
    if (period < m_lanes && m_lanes % period == 0) {
        while (*extent % m_lanes != 0)
            m_lanes /= 2;
        m_sharesVectors = m_lanes > period;
    }
    if (m_sharesVectors)
        return;
    while (m_lanes / 2 >= period)
        m_lanes /= 2;
    m_group = period;
    m_groupVar = m_planner.fresh(m_lane.var, "g");
    m_groups = *extent / period;
    m_lane.extent = Expr(period);
    Ranges inside;
    inside.push(own, Expr(0), Expr(period - 1));
    const Substitution grouped{{own, varExpr(m_groupVar) * Expr(period) + varExpr(own)}};
    for (Expr& load : m_loads) {
        Exprs indices;
        for (const Expr& index : load.args())
            indices.push_back(simplify(substitute(index, grouped), inside));
        load = withArgs(load, std::move(indices));
    }
}

// Lanes may lie along any axis of the result.
std::set<Symbol> TiledPlan::spaceOfBoth() const {
    std::set<Symbol> out;
    for (const auto& [root, own] : m_own)
        out.insert({root, own});
    return out;
}

Refused TiledPlan::chooseLanes() {
    m_axes = m_planner.storageSpace(m_root);
    const auto lane = std::find_if(m_axes.rbegin(), m_axes.rend(),
                                   [](const Axis& axis) { return !axis.extent.isInt(1); });
    if (lane == m_axes.rend())
        return "it has one element";
    m_lane = *lane;
    m_axes.erase(std::next(lane).base());
    m_lanes = m_planner.lanes({m_reduction, m_root}, spaceOfBoth());
    chooseChannels();
    const Symbol own = m_own.at(m_lane.var);
    if (!m_planner.vectorizable({m_reduction}, own) ||
        !m_planner.vectorizable({m_root}, m_lane.var))
        return "other values say where its values lie";
    if (constantOr(m_lane.extent, 1000) < 3)
        return "its innermost axis is short";
    findGroups();
    for (const Expr& load : m_loads) {
        const auto stride = m_planner.stride(load, own);
        if (isPackable(load) || stride == 0)
            continue;
        if (stride == 1 || (m_sharesVectors && !stride))
            m_vectorLoads.push_back(load);
        else
            m_scattered.push_back(load);
    }
    for (const Expr& load : m_loads)
        if (isPackable(load))
            m_vectorLoads.push_back(load);
    if (!m_scattered.empty() && m_conditions.empty() && betterAlongTheReduction())
        return "memory lies along the reduced axis";
    m_lanesGuarded = conditioned(m_lane.var);
    return {};
}

// Images as rows: lanes along a row would gather (a stride) or be masked (a padded window), or
// a row is a short part of a vector. If every element sums up enough, lanes along the axis that
// only constants have (output channels) are better: the tile is scattered once, at the end.
void TiledPlan::chooseChannels() {
    constexpr std::int64_t worthScattering = 128; // steps of the reduction
    const std::int64_t lanes = m_lanes;
    std::int64_t steps = 1;
    for (const Axis& axis : m_r.reduce)
        steps *= constantOr(axis.extent, 1);
    if (!m_contraction)
        return chooseAlongMemory();
    if (steps < worthScattering)
        return;
    const auto fill = [&](const Axis& axis) {
        const std::int64_t extent = constantOr(axis.extent, 4096);
        return static_cast<double>(extent) /
               static_cast<double>((extent + lanes - 1) / lanes * lanes);
    };
    const Symbol own = m_own.at(m_lane.var);
    const bool apart = std::any_of(m_loads.begin(), m_loads.end(), [&](const Expr& load) {
        const auto stride = m_planner.stride(load, own);
        return stride != 0 && stride != 1 && !isPackable(load);
    });
    const bool fits = !apart && !conditioned(m_lane.var) && fill(m_lane) >= 0.7;
    if (fits || isPackedAlong(m_lane))
        return;
    for (std::size_t i = 0; i < m_axes.size(); ++i)
        if (fill(m_axes[i]) >= std::max(fill(m_lane), 0.5) && isPackedAlong(m_axes[i]) &&
            !conditioned(m_axes[i].var)) {
            m_axes.push_back(std::exchange(m_lane, m_axes[i]));
            m_axes.erase(m_axes.begin() + static_cast<std::ptrdiff_t>(i));
            return;
        }
}

// A window that reads what lies channels last and writes rows: lanes along a row would gather every
// tap, lanes along the channels scatter each result once.
void TiledPlan::chooseAlongMemory() {
    const auto moves = [&](const Axis& axis, auto&& fits) {
        bool any = false;
        for (const Expr& load : m_loads) {
            const auto stride = m_planner.stride(load, m_own.at(axis.var));
            if (stride == 0)
                continue;
            any = true;
            if (!fits(stride))
                return false;
        }
        return any;
    };
    const auto apart = [](std::optional<std::int64_t> stride) {
        return !stride || std::abs(*stride) >= lineElements;
    };
    if (!moves(m_lane, apart))
        return;
    for (auto axis = m_axes.begin(); axis != m_axes.end(); ++axis)
        if (constantOr(axis->extent, 4096) >= m_lanes && !conditioned(axis->var) &&
            moves(*axis, [](std::optional<std::int64_t> stride) { return stride == 1; })) {
            const Axis along = *axis;
            m_axes.erase(axis);
            m_axes.push_back(std::exchange(m_lane, along));
            return;
        }
}

// Constants that can be packed have the axis, and other operands only by groups.
bool TiledPlan::isPackedAlong(const Axis& axis) const {
    const Symbol own = m_own.at(axis.var);
    bool packed = false;
    for (const Expr& load : m_loads) {
        const bool isConstant = m_planner.context.constants.contains(load->symbol);
        for (const Expr& index : load.args()) {
            const bool divided = isOnlyDivided(index, own);
            if (usesVar(index, own) && !divided && !(isConstant && index.isVar()))
                return false;
            packed = packed || (isConstant && index.isVar() && usesVar(index, own));
        }
    }
    return packed;
}

// All uses of the variable lie inside a division.
bool TiledPlan::isOnlyDivided(const Expr& e, Symbol var) {
    if (e.isVar())
        return e->symbol != var;
    if (e.op() == ExprOp::FloorDiv)
        return true;
    return std::all_of(e.args().begin(), e.args().end(),
                       [&](const Expr& arg) { return isOnlyDivided(arg, var); });
}

// Lanes that lie apart are gathered, at some eight cycles a vector. Lanes along the reduced
// axis are better if memory lies along that axis and it is long, or as long as few vectors
// while nobody uses a gathered vector twice.
bool TiledPlan::betterAlongTheReduction() const {
    const std::int64_t lanes = m_lanes;
    const bool reused = std::any_of(m_axes.begin(), m_axes.end(), [&](const Axis& axis) {
        return constantOr(axis.extent, 64) >= 4 && staysAlong(m_scattered, axis);
    });
    return std::any_of(m_r.reduce.begin(), m_r.reduce.end(), [&](const Axis& axis) {
        return constantOr(axis.extent, 64) >= (reused ? 8 * lanes : lanes * 3 / 2) &&
               std::all_of(m_loads.begin(), m_loads.end(), [&](const Expr& load) {
                   const auto stride = m_planner.stride(load, axis.var);
                   return stride == 0 || stride == 1;
               });
    });
}

// None of the loads moves with the axis of the result.
bool TiledPlan::staysAlong(const Exprs& loads, const Axis& axis) const {
    return std::none_of(loads.begin(), loads.end(), [&](const Expr& load) {
        return std::any_of(load.args().begin(), load.args().end(),
                           [&](const Expr& index) { return usesVar(index, m_own.at(axis.var)); });
    });
}

// Shuffled operands are the same elements for every step along this axis of the reduction.
bool TiledPlan::isInsideGroup(Symbol axis) const {
    return m_sharesVectors &&
           std::any_of(m_vectorLoads.begin(), m_vectorLoads.end(), [&](const Expr& load) {
               return !isPackable(load) && m_planner.stride(load, axis) == 1;
           });
}

bool TiledPlan::conditioned(Symbol rootVar) const {
    const Symbol own = m_own.at(rootVar);
    return std::any_of(m_conditions.begin(), m_conditions.end(),
                       [&](const Expr& e) { return usesVar(e, own); });
}

} // namespace fw
