// Templates for maps, and the plain one that takes everything.
#include "schedule/nest_plan.h"

#include <algorithm>
#include <cstdlib>
#include <span>

namespace fw {

namespace {

std::vector<Symbol> variables(const std::vector<Axis>& axes) {
    std::vector<Symbol> out;
    for (const Axis& axis : axes)
        out.push_back(axis.var);
    return out;
}

// An axis along which something is read element by element while the lanes jump from line to line:
// the tile of both reads whole lines, and those that share a set of the cache (rows that lie a
// multiple of 4 KB apart) are read before they are evicted. The last one where several are.
std::optional<Axis> axisAcross(const SchedulePlanner& planner, const Stage& stage,
                               std::span<const Axis> outer, const Axis& inner) {
    const Exprs loads = planner.loads(stage.body);
    for (auto axis = outer.rbegin(); axis != outer.rend(); ++axis) {
        if (constantOr(axis->extent, lineElements) < lineElements / 2)
            continue;
        const bool jumps = std::any_of(loads.begin(), loads.end(), [&](const Expr& load) {
            return planner.stride(load, axis->var) == 1 &&
                   std::abs(planner.stride(load, inner.var).value_or(lineElements)) >= lineElements;
        });
        if (jumps)
            return *axis;
    }
    return std::nullopt;
}

// The lines of what is read across share few sets of the cache, so that they are evicted before the
// next elements of them are read.
bool sharesSets(const SchedulePlanner& planner, const Expr& load, Symbol inner) {
    constexpr std::int64_t period = 2048; // bytes; a level of 64 sets repeats every 4096
    const auto width = static_cast<std::int64_t>(dtypeBytes(load.dtype()));
    const auto stride = planner.stride(load, inner);
    return stride && *stride != 0 && *stride * width % period == 0;
}

// Tiles of whole lines for a map whose values have no vectors, where they pay: of other matrices
// the plain loops find the lines where they left them.
bool planTiles(SchedulePlanner& planner, std::size_t root, std::vector<Axis> axes) {
    constexpr std::int64_t rows = 16, width = 8;
    std::erase_if(axes, [](const Axis& axis) { return axis.extent.isInt(1); });
    if (axes.size() < 2)
        return false;
    const Axis& inner = axes.back();
    std::vector<Axis> outer(axes.begin(), axes.end() - 1);
    const std::optional<Axis> across = axisAcross(planner, planner.stage(root), outer, inner);
    const Exprs loads = planner.loads(planner.stage(root).body);
    if (!across || constantOr(inner.extent, rows) < rows ||
        std::none_of(loads.begin(), loads.end(), [&](const Expr& load) {
            return planner.stride(load, across->var) == 1 && sharesSets(planner, load, inner.var);
        }))
        return false;
    std::erase_if(outer, [&](const Axis& axis) { return axis.var == across->var; });
    std::vector<Symbol> order = variables(outer);
    for (const char* part : {"1", "0"})
        for (const Axis& axis : {*across, inner})
            order.push_back(planner.fresh(axis.var, part));
    const std::size_t at = outer.size();
    planner.split(root, across->var, order[at], order[at + 2], width, Tail::Guard);
    planner.split(root, inner.var, order[at + 1], order[at + 3], rows, Tail::Peel);
    planner.reorder(root, order);
    const Expr& extent = outer.empty() ? across->extent : outer.front().extent;
    const std::int64_t outermost =
        std::max<std::int64_t>(constantOr(extent, 64) / (outer.empty() ? width : 1), 1);
    planner.mark(StepKind::Parallel, root, order.front(),
                 grainFor(planner.work(root) / static_cast<double>(outermost)));
    return true;
}

} // namespace

Refused planPlain(SchedulePlanner& planner, const NestPlan& nest) {
    std::vector<std::size_t> stages = nest.members;
    stages.push_back(nest.root);
    for (const std::size_t i : stages) {
        std::vector<Axis> axes = planner.storageSpace(i);
        // Axes of one entry last: the outermost one is divided among threads.
        std::stable_partition(axes.begin(), axes.end(),
                              [](const Axis& axis) { return !axis.extent.isInt(1); });
        planner.reorder(i, variables(axes));
        if (axes.empty())
            continue;
        const std::int64_t outermost = std::max<std::int64_t>(constantOr(axes[0].extent, 64), 1);
        planner.mark(StepKind::Parallel, i, axes[0].var,
                     grainFor(planner.work(i) / static_cast<double>(outermost)));
    }
    return {};
}

Refused planElementwise(SchedulePlanner& planner, const NestPlan& nest) {
    const std::size_t root = nest.root;
    if (!planner.stage(root).isMap() || !nest.members.empty())
        return "it reduces";
    const std::vector<Axis> axes = planner.storageSpace(root);
    if (axes.empty())
        return "it has one element";
    // The run of axes, innermost last, that act as one.
    std::size_t first = axes.size() - 1;
    while (first > 0 && planner.fusible({root}, axes[first - 1], axes[first]))
        --first;
    const std::vector<Axis> run(axes.begin() + static_cast<std::ptrdiff_t>(first), axes.end());
    std::vector<Axis> outer(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(first));
    const std::optional<Axis> across = axisAcross(planner, planner.stage(root), outer, run.back());
    Expr extent(1);
    std::set<Symbol> moving;
    for (const Axis& axis : run) {
        extent = simplify(extent * axis.extent);
        moving.insert(axis.var);
        if (axis.extent.isInt(1))
            continue;
        if (!planner.vectorizable({root}, axis.var))
            return "other values say where its values lie";
        if (across && !planner.isFourBytes({root}, axis.var)) {
            if (planTiles(planner, root, axes))
                return {};
            return "its values lie across memory and are not four bytes wide";
        }
    }
    const std::int64_t lanes = planner.lanes({root}, moving);
    const auto fixed = extent.asInt();
    if (fixed && *fixed < lanes / 2)
        return "its innermost axis is short";

    if (across)
        std::erase_if(outer, [&](const Axis& axis) { return axis.var == across->var; });
    std::vector<Axis> order = outer;
    if (across)
        order.push_back(*across);
    order.insert(order.end(), run.begin(), run.end());
    planner.reorder(root, variables(order));
    const Symbol inner = planner.fuseAll(root, variables(run));
    Symbol outermost = planner.fuseAll(root, variables(outer));
    const double cost = std::max(bodyCost(planner.stage(root).body), 1.0) + 2;
    const double vector = static_cast<double>(lanes);
    const double rowCost = cost * static_cast<double>(fixed.value_or(1024)) / vector;
    if (across) {
        const Symbol tile = planner.fresh(across->var, "1"), line = planner.fresh(across->var, "0");
        const Symbol chunk = planner.fresh(inner, "1"), lane = planner.fresh(inner, "l");
        planner.split(root, across->var, tile, line, lineElements, Tail::Guard);
        planner.split(root, inner, chunk, lane, lanes, Tail::Peel);
        planner.reorder(root, {tile, chunk, line, lane});
        planner.mark(StepKind::Vectorize, root, lane);
        outermost = outermost.empty() ? tile : planner.fuseAll(root, {outermost, tile});
        planner.mark(StepKind::Parallel, root, outermost,
                     grainFor(rowCost * static_cast<double>(lineElements)));
        return {};
    }
    const std::int64_t unroll = fixed ? std::clamp<std::int64_t>(*fixed / lanes, 1, 4) : 4;
    const Symbol chunk = planner.splitLanes(root, inner, extent, lanes, false);
    if (outermost.empty())
        planner.mark(StepKind::Parallel, root, chunk, grainFor(cost * static_cast<double>(unroll)));
    else
        planner.mark(StepKind::Parallel, root, outermost, grainFor(rowCost));
    return {};
}

} // namespace fw
