// Templates for maps, and the plain one that takes everything.
#include "schedule/planner.h"

#include <algorithm>

namespace fw {

namespace {

std::vector<Symbol> variables(const std::vector<Axis>& axes) {
    std::vector<Symbol> out;
    for (const Axis& axis : axes)
        out.push_back(axis.var);
    return out;
}

} // namespace

Refused planPlain(Planner& planner, const NestPlan& nest) {
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

Refused planElementwise(Planner& planner, const NestPlan& nest) {
    const std::size_t root = nest.root;
    if (!planner.stage(root).isMap() || !nest.members.empty())
        return "it reduces";
    const std::vector<Axis> axes = planner.storageSpace(root);
    if (axes.empty())
        return "it has one element";
    const std::int64_t lanes = planner.context.vectorLanes;
    // The run of axes, innermost last, that act as one.
    std::size_t first = axes.size() - 1;
    while (first > 0 && planner.fusible({root}, axes[first - 1], axes[first]))
        --first;
    const std::vector<Axis> run(axes.begin() + static_cast<std::ptrdiff_t>(first), axes.end());
    Expr extent(1);
    for (const Axis& axis : run) {
        extent = simplify(extent * axis.extent);
        if (!axis.extent.isInt(1) && !planner.vectorizable({root}, axis.var))
            return "its values are not four bytes wide";
    }
    const auto fixed = extent.asInt();
    if (fixed && *fixed < lanes / 2)
        return "its innermost axis is short";

    planner.reorder(root, variables(axes));
    Symbol inner = run[0].var;
    for (std::size_t i = 1; i < run.size(); ++i) {
        const Symbol both = planner.fresh(inner, run[i].var.text());
        planner.fuse(root, inner, run[i].var, both);
        inner = both;
    }
    Symbol outer = first > 0 ? axes[0].var : Symbol();
    for (std::size_t i = 1; i < first; ++i) {
        const Symbol both = planner.fresh(outer, axes[i].var.text());
        planner.fuse(root, outer, axes[i].var, both);
        outer = both;
    }
    const std::int64_t unroll = fixed ? std::clamp<std::int64_t>(*fixed / lanes, 1, 4) : 4;
    const Symbol chunk = planner.splitLanes(root, inner, extent, false);
    const double cost = std::max(bodyCost(planner.stage(root).body), 1.0) + 2;
    const double vector = static_cast<double>(lanes);
    if (outer.empty())
        planner.mark(StepKind::Parallel, root, chunk, grainFor(cost * static_cast<double>(unroll)));
    else
        planner.mark(StepKind::Parallel, root, outer,
                     grainFor(cost * static_cast<double>(fixed.value_or(1024)) / vector));
    return {};
}

} // namespace fw
