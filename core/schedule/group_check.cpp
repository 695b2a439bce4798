#include "schedule/group_check.h"

#include "schedule/limits.h"
#include "schedule/nest.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

// The nest that holds a stage; nests follow each other as their roots do.
std::size_t rootOf(const ScheduledStage& stage) {
    return stage.consumer.value_or(stage.stage);
}

// A loop made of the inner one of a peeled split that lies outside the outer
// one; or none.
Symbol beforeItsTile(const ScheduledStage& stage, const AxisStep& peeled) {
    std::set<Symbol> inner{peeled.inner};
    for (const AxisStep& step : stage.steps)
        if (inner.contains(step.first) || (step.isFuse && inner.contains(step.second)))
            inner.insert({step.outer, step.inner});
    // Loops with an accumulator each are the innermost of what is reduced.
    std::vector<ScheduledLoop> reduce = stage.reduce;
    std::stable_partition(reduce.begin(), reduce.end(),
                          [](const ScheduledLoop& loop) { return !loop.partial; });
    for (const auto* list : {&stage.loops, static_cast<const std::vector<ScheduledLoop>*>(&reduce)})
        if (const auto outer = findLoop(*list, peeled.outer); outer != list->end())
            for (auto loop = list->begin(); loop != outer; ++loop)
                if (inner.contains(loop->var))
                    return loop->var;
    return {};
}

// A loop with an accumulator each inside one of lanes, if it is no straight-line code.
const ScheduledLoop* insideLanes(const std::vector<ScheduledLoop>& reduce) {
    bool lanes = false;
    for (const ScheduledLoop& loop : reduce) {
        if (lanes && loop.partial && loop.kind != LoopKind::Unroll)
            return &loop;
        lanes = lanes || loop.kind == LoopKind::Vector;
    }
    return nullptr;
}

std::vector<ScheduledLoop>::const_reverse_iterator
lastVector(const std::vector<ScheduledLoop>& loops) {
    return std::find_if(loops.rbegin(), loops.rend(),
                        [](const ScheduledLoop& loop) { return loop.kind == LoopKind::Vector; });
}

} // namespace

Status checkGroup(const ScheduledGroup& group, const Schedule& schedule) {
    const auto refuse = [&](const ScheduledStage& stage, const std::string& why,
                            std::optional<std::size_t> step = {}) {
        return illegalSchedule(schedule, stage.name, why, step);
    };
    for (const ScheduledStage& stage : group.stages) {
        const Symbol out = group.inst.stages[stage.stage].out;
        const auto& nest = group.stages[rootOf(stage)].loops;
        const Symbol inside = stage.consumer ? stage.loop : stage.accumulate.value_or(Symbol());
        if (!inside.empty() && findLoop(nest, inside) == nest.end())
            return refuse(stage, "a step behind it made others of the loop", stage.placed);
        for (const ScheduledStage& reader : group.stages)
            if (rootOf(reader) < rootOf(stage) && reader.stage > stage.stage &&
                loadedTensors(group.inst.stages[reader.stage].body).contains(out))
                return refuse(stage, reader.name + " reads it before", stage.placed);
        for (std::size_t i = 1; i < stage.loops.size(); ++i)
            if (stage.loops[i].kind == LoopKind::Parallel)
                return refuse(stage,
                              stage.loops[i].var.text() + " is parallel but not the outermost loop",
                              stage.loops[i].step);
        if (stage.consumer && !stage.loops.empty() && stage.loops[0].kind == LoopKind::Parallel)
            return refuse(stage, "it lies in another nest and cannot be parallel",
                          stage.loops[0].step);
        for (const AxisStep& axis : stage.steps)
            if (!axis.isFuse && axis.tail == Tail::Peel)
                if (const Symbol before = beforeItsTile(stage, axis); !before.empty())
                    return refuse(stage, before.text() + " is peeled and must lie inside " +
                                             axis.outer.text());
        const auto extents = axisExtents(group.inst.stages[stage.stage], stage.steps);
        for (const auto* list : {&stage.loops, &stage.reduce})
            for (const ScheduledLoop& loop : *list)
                if ((loop.kind == LoopKind::Vector || loop.kind == LoopKind::Unroll ||
                     loop.partial) &&
                    !extents.at(loop.var).isInt())
                    return refuse(stage, loop.var.text() + " has no constant extent", loop.step);
        const auto vectors =
            std::count_if(stage.loops.begin(), stage.loops.end(),
                          [](const ScheduledLoop& loop) { return loop.kind == LoopKind::Vector; });
        if (vectors > 1 || (vectors == 1 && stage.loops.back().kind != LoopKind::Vector))
            return refuse(stage, "a vectorized loop must be the innermost one",
                          lastVector(stage.loops)->step);
        for (const ScheduledLoop& loop : stage.reduce)
            if (loop.kind == LoopKind::Vector && !loop.partial)
                return refuse(stage, loop.var.text() + " is reduced: lanes need partial()",
                              loop.step);
    }
    for (const ScheduledStage& stage : group.stages)
        if (const ScheduledLoop* inside = insideLanes(stage.reduce))
            return refuse(stage, "a vectorized loop must be the innermost one", inside->step);
    if (const auto much = tooMuchCode(group))
        return refuse(group.stages[much->stage], much->why, much->step);
    return {};
}

} // namespace fw
