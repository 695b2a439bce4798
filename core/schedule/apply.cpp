#include "schedule/apply.h"

#include "expr/simplify.h"
#include "schedule/group_check.h"
#include "schedule/inlining.h"
#include "schedule/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

// The list of a stage, space or reduce, that holds a loop; null if neither
// does.
std::vector<ScheduledLoop>* listOf(ScheduledStage& stage, Symbol var) {
    if (findLoop(stage.loops, var) != stage.loops.end())
        return &stage.loops;
    if (findLoop(stage.reduce, var) != stage.reduce.end())
        return &stage.reduce;
    return nullptr;
}

std::string whyNoLoop(const ScheduledStage& stage, Symbol asked) {
    std::string there;
    for (const ScheduledLoop& loop : stage.loops)
        there += (there.empty() ? "" : ", ") + loop.var.text();
    if (there.empty())
        there = "none";
    return findLoop(stage.reduce, asked) != stage.reduce.end()
               ? fmt::format("{} is a reduced loop of {}, whose loops of the result are {}",
                             asked.text(), stage.name, there)
               : fmt::format("no such loop there; the loops of {} are {}", stage.name, there);
}

class Applier {
public:
    Applier(const OpInst& inst, const Schedule& schedule) : m_schedule(schedule) { reset(inst); }

    ScheduledGroup group;

    Status run() {
        for (; m_at < m_schedule.steps.size(); ++m_at)
            FW_CHECK(step(m_schedule.steps[m_at]));
        return checkGroup(group, m_schedule);
    }

private:
    Status step(const ScheduleStep& step) {
        if (step.kind == StepKind::Layout) {
            if (group.inst.find(step.stage) == nullptr)
                return illegalStep(step, "no such tensor");
            group.layouts[step.stage] = step.layout;
            return {};
        }
        const auto found =
            std::find_if(group.stages.begin(), group.stages.end(),
                         [&](const ScheduledStage& stage) { return stage.name == step.stage; });
        if (found == group.stages.end())
            return illegalStep(step, "no such stage");
        ScheduledStage& stage = *found;
        switch (step.kind) {
        case StepKind::Split:
            return split(step, stage);
        case StepKind::Fuse:
            return fuse(step, stage);
        case StepKind::Reorder:
            return reorder(step, stage);
        case StepKind::Parallel:
        case StepKind::Vectorize:
        case StepKind::Unroll:
        case StepKind::Partial:
            return annotate(step, stage);
        case StepKind::Inline:
            return inlined(step, stage);
        case StepKind::At:
            return at(step, stage);
        case StepKind::Accumulate:
            return accumulate(step, stage);
        case StepKind::Layout:
            break;
        }
        return {};
    }

    void reset(const OpInst& inst) {
        group.inst = inst;
        group.stages.clear();
        m_names = axesOf(inst);
        m_names.merge(freeDimsOf(inst));
        for (std::size_t i = 0; i < inst.stages.size(); ++i) {
            ScheduledStage stage;
            stage.name = stageName(inst, i);
            stage.stage = i;
            for (const Axis& axis : inst.stages[i].space)
                stage.loops.push_back({axis.var});
            for (const Axis& axis : inst.stages[i].reduce)
                stage.reduce.push_back({axis.var});
            group.stages.push_back(std::move(stage));
        }
        m_touched = false;
    }

    bool claim(Symbol name) { return m_names.insert(name).second; }

    // Whether it counts tiles of which the last is computed apart.
    static bool isPeeled(const ScheduledStage& stage, Symbol loop) {
        return std::any_of(stage.steps.begin(), stage.steps.end(), [&](const AxisStep& step) {
            return !step.isFuse && step.tail == Tail::Peel && step.outer == loop;
        });
    }

    Status split(const ScheduleStep& step, ScheduledStage& stage) {
        auto* list = listOf(stage, step.names[0]);
        if (list == nullptr)
            return illegalStep(step, "no such loop");
        if (!claim(step.names[1]) || !claim(step.names[2]))
            return illegalStep(step, "a name is taken");
        const auto loop = findLoop(*list, step.names[0]);
        if (loop->kind != LoopKind::Serial)
            return illegalStep(step, "the loop is already " + std::string("annotated"));
        if (isPeeled(stage, step.names[0]))
            return illegalStep(step, "a peeled loop cannot be split");
        if (const auto much = tooMuchSplit(step, stage, group.inst.stages[stage.stage]))
            return illegalStep(step, *much);
        stage.steps.push_back(
            {false, step.names[0], {}, step.names[1], step.names[2], step.number, step.tail});
        loop->var = step.names[1];
        list->insert(loop + 1, ScheduledLoop{step.names[2]});
        m_touched = true;
        return {};
    }

    Status fuse(const ScheduleStep& step, ScheduledStage& stage) {
        auto* list = listOf(stage, step.names[0]);
        if (list == nullptr)
            return illegalStep(step, "no such loop");
        const auto first = findLoop(*list, step.names[0]), second = findLoop(*list, step.names[1]);
        if (second == list->end() || second != first + 1)
            return illegalStep(step, "the loops are not neighbours");
        if (!claim(step.names[2]))
            return illegalStep(step, "a name is taken");
        if (isPeeled(stage, step.names[0]) || isPeeled(stage, step.names[1]))
            return illegalStep(step, "a peeled loop cannot be fused");
        stage.steps.push_back(
            {true, step.names[0], step.names[1], step.names[2], {}, 1, Tail::Guard});
        first->var = step.names[2];
        list->erase(second);
        m_touched = true;
        return {};
    }

    Status reorder(const ScheduleStep& step, ScheduledStage& stage) {
        auto* list = listOf(stage, step.names[0]);
        if (list == nullptr)
            return illegalStep(step, "no such loop");
        std::vector<std::size_t> places;
        std::vector<ScheduledLoop> loops;
        for (const Symbol name : step.names) {
            const auto loop = findLoop(*list, name);
            if (loop == list->end())
                return illegalStep(step, name.text() + " is no loop of the same kind");
            const auto place = static_cast<std::size_t>(loop - list->begin());
            if (std::find(places.begin(), places.end(), place) != places.end())
                return illegalStep(step, name.text() + " is named twice");
            places.push_back(place);
            loops.push_back(*loop);
        }
        std::sort(places.begin(), places.end());
        for (std::size_t i = 0; i < places.size(); ++i)
            (*list)[places[i]] = loops[i];
        m_touched = true;
        return {};
    }

    Status annotate(const ScheduleStep& step, ScheduledStage& stage) {
        auto* list = listOf(stage, step.names[0]);
        if (list == nullptr)
            return illegalStep(step, "no such loop");
        ScheduledLoop& loop = *findLoop(*list, step.names[0]);
        const bool reduced = list == &stage.reduce;
        m_touched = true;
        loop.step = m_at;
        if (step.kind == StepKind::Partial) {
            if (!reduced)
                return illegalStep(step, "the loop is not reduced");
            loop.partial = true;
            return {};
        }
        if (loop.kind != LoopKind::Serial)
            return illegalStep(step, "the loop is already annotated");
        if (step.kind == StepKind::Parallel) {
            if (reduced)
                return illegalStep(step, "a reduced loop cannot be parallel");
            loop.kind = LoopKind::Parallel;
            loop.grain = step.number;
        } else {
            loop.kind = step.kind == StepKind::Vectorize ? LoopKind::Vector : LoopKind::Unroll;
        }
        return {};
    }

    Status inlined(const ScheduleStep& step, const ScheduledStage& stage) {
        if (m_touched)
            return illegalStep(step, "inlining comes before other steps");
        if (const auto much = tooMuchInlined(group.inst, stage.stage))
            return illegalStep(step, *much);
        auto inst = inlineStage(group.inst, stage.stage);
        if (!inst.ok())
            return illegalStep(step, inst.diag().message);
        reset(inst.take());
        return {};
    }

    Status at(const ScheduleStep& step, ScheduledStage& stage) {
        const auto consumer = std::find_if(
            group.stages.begin(), group.stages.end(),
            [&](const ScheduledStage& other) { return other.name == step.names[0].text(); });
        if (consumer == group.stages.end() || consumer->stage <= stage.stage)
            return illegalStep(step, "no such stage after it");
        if (consumer->consumer)
            return illegalStep(step, "the nest it should lie in lies in another one");
        if (step.names.size() > 1 &&
            findLoop(consumer->loops, step.names[1]) == consumer->loops.end())
            return illegalStep(step, whyNoLoop(*consumer, step.names[1]));
        for (const ScheduledStage& other : group.stages)
            if (other.consumer == stage.stage)
                return illegalStep(step, "another stage lies in its nest");
        stage.consumer = consumer->stage;
        stage.loop = step.names.size() > 1 ? step.names[1] : Symbol();
        stage.recompute = step.names.size() > 2;
        stage.placed = m_at;
        m_touched = true;
        return {};
    }

    Status accumulate(const ScheduleStep& step, ScheduledStage& stage) {
        if (group.inst.stages[stage.stage].isMap())
            return illegalStep(step, "the stage reduces nothing");
        const Symbol loop = step.names.empty() ? Symbol() : step.names[0];
        if (!loop.empty() && findLoop(stage.loops, loop) == stage.loops.end())
            return illegalStep(step, "no such loop");
        stage.accumulate = loop;
        stage.placed = m_at;
        m_touched = true;
        return {};
    }

    const Schedule& m_schedule;
    std::size_t m_at = 0; // the step at hand
    std::set<Symbol> m_names;
    bool m_touched = false;
};

} // namespace

Diag illegalStep(const ScheduleStep& step, const std::string& why) {
    return makeDiag(DiagCode::ScheduleIllegal, fmt::format("{}: {}", step.text(), why),
                    {.line = step.line, .column = step.column});
}

Diag illegalSchedule(const Schedule& schedule, const std::string& stage, const std::string& why,
                     std::optional<std::size_t> step) {
    for (std::size_t i = schedule.steps.size(); !step && i-- > 0;)
        if (schedule.steps[i].stage == stage)
            step = i;
    return step ? illegalStep(schedule.steps[*step], why)
                : makeDiag(DiagCode::ScheduleIllegal, stage + ": " + why);
}

std::map<Symbol, Expr> axisExtents(const Stage& stage, const std::vector<AxisStep>& steps) {
    std::map<Symbol, Expr> out;
    for (const auto* axes : {&stage.space, &stage.reduce})
        for (const Axis& axis : *axes)
            out[axis.var] = axis.extent;
    for (const AxisStep& step : steps) {
        if (step.isFuse) {
            out[step.outer] = simplify(out.at(step.first) * out.at(step.second));
            continue;
        }
        const Expr extent = out.at(step.first), factor(step.factor);
        out[step.outer] = simplify(step.tail == Tail::Guard ? ceilDivExpr(extent, factor)
                                                            : floorDivExpr(extent, factor));
        out[step.inner] = factor;
    }
    return out;
}

Result<ScheduledGroup> applySchedule(const OpInst& inst, const Schedule& schedule) {
    Applier applier(inst, schedule);
    FW_CHECK(applier.run());
    return std::move(applier.group);
}

} // namespace fw
