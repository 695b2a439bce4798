#include "schedule/apply.h"

#include "expr/simplify.h"
#include "schedule/limits.h"
#include "schedule/lower_nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace fw {

namespace {

template <class List>
auto findLoop(List& list, Symbol var) {
    return std::find_if(list.begin(), list.end(),
                        [&](const ScheduledLoop& loop) { return loop.var == var; });
}

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
        return finish();
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

    // The nest that holds a stage; nests follow each other as their roots do.
    static std::size_t rootOf(const ScheduledStage& stage) {
        return stage.consumer.value_or(stage.stage);
    }

    // A loop made of the inner one of a peeled split that lies outside the outer
    // one; or none.
    static Symbol beforeItsTile(const ScheduledStage& stage, const AxisStep& peeled) {
        std::set<Symbol> inner{peeled.inner};
        for (const AxisStep& step : stage.steps)
            if (inner.contains(step.first) || (step.isFuse && inner.contains(step.second)))
                inner.insert({step.outer, step.inner});
        // Loops with an accumulator each are the innermost of what is reduced.
        std::vector<ScheduledLoop> reduce = stage.reduce;
        std::stable_partition(reduce.begin(), reduce.end(),
                              [](const ScheduledLoop& loop) { return !loop.partial; });
        for (const auto* list :
             {&stage.loops, static_cast<const std::vector<ScheduledLoop>*>(&reduce)})
            if (const auto outer = findLoop(*list, peeled.outer); outer != list->end())
                for (auto loop = list->begin(); loop != outer; ++loop)
                    if (inner.contains(loop->var))
                        return loop->var;
        return {};
    }

    // What no single step can see.
    Status finish() {
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
                                  stage.loops[i].var.text() +
                                      " is parallel but not the outermost loop",
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
                        return refuse(stage, loop.var.text() + " has no constant extent",
                                      loop.step);
            const auto vectors = std::count_if(
                stage.loops.begin(), stage.loops.end(),
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

    // A loop with an accumulator each inside one of lanes, if it is no straight-line code.
    static const ScheduledLoop* insideLanes(const std::vector<ScheduledLoop>& reduce) {
        bool lanes = false;
        for (const ScheduledLoop& loop : reduce) {
            if (lanes && loop.partial && loop.kind != LoopKind::Unroll)
                return &loop;
            lanes = lanes || loop.kind == LoopKind::Vector;
        }
        return nullptr;
    }

    static std::vector<ScheduledLoop>::const_reverse_iterator
    lastVector(const std::vector<ScheduledLoop>& loops) {
        return std::find_if(loops.rbegin(), loops.rend(), [](const ScheduledLoop& loop) {
            return loop.kind == LoopKind::Vector;
        });
    }

    Diag refuse(const ScheduledStage& stage, const std::string& why,
                std::optional<std::size_t> step = {}) const {
        return illegalSchedule(m_schedule, stage.name, why, step);
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

// Reads of one tensor replaced by an expression of their indices; pad() around
// them becomes a select().
class LoadReplacement {
public:
    LoadReplacement(Symbol tensor, const Shape& shape,
                    const std::function<Expr(const Exprs&)>& body)
        : m_tensor(tensor), m_shape(shape), m_body(body) {}

    Expr of(const Expr& e) {
        const bool isRead = e.op() == ExprOp::Load && e->symbol == m_tensor;
        if (e.args().empty() && !isRead) // a scalar has no indices
            return e;
        // Indices that nest share parts: each is done once.
        if (const auto known = m_known.find(&e.node()); known != m_known.end())
            return known->second;
        return m_known.emplace(&e.node(), made(e, isRead)).first->second;
    }

private:
    Expr made(const Expr& e, bool isRead) {
        if (e.op() == ExprOp::Pad && e.arg(0).op() == ExprOp::Load &&
            e.arg(0)->symbol == m_tensor) {
            const Exprs indices = all(e.arg(0).args());
            return selectExpr(insideShape(indices, m_shape), m_body(indices), of(e.arg(1)));
        }
        Exprs args = all(e.args());
        return isRead ? m_body(args) : withArgs(e, std::move(args));
    }

    Exprs all(const Exprs& parts) {
        Exprs out;
        for (const Expr& part : parts)
            out.push_back(of(part));
        return out;
    }

    const Symbol m_tensor;
    const Shape& m_shape;
    const std::function<Expr(const Exprs&)>& m_body;
    std::unordered_map<const ExprNode*, Expr> m_known; // of the expression, which stays alive
};

Expr replaceLoads(const Expr& e, Symbol tensor, const Shape& shape,
                  const std::function<Expr(const Exprs&)>& body) {
    return LoadReplacement(tensor, shape, body).of(e);
}

// What several stages write is read by one map, element by element: the map is
// computed with every piece instead, and stored where the piece would have
// been.
Result<OpInst> inlinePieces(const OpInst& inst, Symbol tensor) {
    const auto refuse = [](std::string why) {
        return makeDiag(DiagCode::ScheduleIllegal, std::move(why));
    };
    const Stage* reader = nullptr;
    for (const Stage& stage : inst.stages) {
        if (stage.out == tensor && !stage.isMap())
            return refuse("a reduction cannot be computed where it is read");
        if (!loadedTensors(stage.body).contains(tensor))
            continue;
        if (reader != nullptr || stage.out == tensor)
            return refuse("several stages write it and several read it");
        reader = &stage;
    }
    const Shape& shape = inst.find(tensor)->type.shape;
    bool isWhole = reader != nullptr && reader->isMap() && reader->space.size() == shape.size();
    for (std::size_t d = 0; isWhole && d < shape.size(); ++d)
        isWhole = reader->space[d].extent == shape[d];
    if (isWhole)
        visitExpr(reader->body, [&](const Expr& e) {
            if (e.op() == ExprOp::Pad && e.arg(0)->symbol == tensor)
                isWhole = false;
            if (e.op() == ExprOp::Load && e->symbol == tensor)
                for (std::size_t d = 0; d < shape.size(); ++d)
                    isWhole = isWhole && e.arg(d) == varExpr(reader->space[d].var);
        });
    if (!isWhole)
        return refuse("several stages write it, and it is not read element by element");
    OpInst out = inst;
    out.stages.clear();
    for (const Stage& stage : inst.stages) {
        if (stage.out == tensor)
            continue;
        if (&stage != reader) {
            out.stages.push_back(stage);
            continue;
        }
        for (const Stage& piece : inst.stages) {
            if (piece.out != tensor)
                continue;
            Substitution place;
            for (std::size_t d = 0; d < shape.size(); ++d)
                place.emplace(reader->space[d].var, piece.store[d]);
            Stage both = piece;
            both.out = reader->out;
            both.store.clear();
            for (const Expr& index : reader->store)
                both.store.push_back(substitute(index, place));
            both.body = replaceLoads(substitute(reader->body, place), tensor, shape,
                                     [&](const Exprs&) { return piece.body; });
            for (const std::int64_t node : reader->nodes)
                if (std::find(both.nodes.begin(), both.nodes.end(), node) == both.nodes.end())
                    both.nodes.push_back(node);
            out.stages.push_back(std::move(both));
        }
    }
    std::erase_if(out.temporaries, [&](const TensorDecl& decl) { return decl.name == tensor; });
    return out;
}

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

Expr insideShape(const Exprs& indices, const Shape& shape) {
    Expr out = boolExpr(true);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        out = andExpr(out, leExpr(Expr(0), indices[i]));
        out = andExpr(out, ltExpr(indices[i], shape[i]));
    }
    return out;
}

Result<OpInst> inlineStage(const OpInst& inst, std::size_t at) {
    const Stage& stage = inst.stages[at];
    const auto refuse = [](std::string why) {
        return makeDiag(DiagCode::ScheduleIllegal, std::move(why));
    };
    if (!stage.isMap())
        return refuse("a reduction cannot be computed where it is read");
    for (const TensorDecl& output : inst.outputs)
        if (output.name == stage.out)
            return refuse("it is an output of the group");
    for (std::size_t i = 0; i < inst.stages.size(); ++i)
        if (i != at && inst.stages[i].out == stage.out)
            return inlinePieces(inst, stage.out);
    for (std::size_t i = 0; i < stage.store.size(); ++i)
        if (i >= stage.space.size() || !(stage.store[i] == varExpr(stage.space[i].var)))
            return refuse("it stores at an offset");
    const Shape shape = inst.find(stage.out)->type.shape;
    const auto body = [&](const Exprs& indices) {
        Substitution map;
        for (std::size_t i = 0; i < indices.size(); ++i)
            map.emplace(stage.space[i].var, indices[i]);
        return substitute(stage.body, map);
    };
    OpInst out = inst;
    for (Stage& user : out.stages) {
        if (!loadedTensors(user.body).contains(stage.out))
            continue;
        user.body = replaceLoads(user.body, stage.out, shape, body);
        for (const std::int64_t node : stage.nodes)
            if (std::find(user.nodes.begin(), user.nodes.end(), node) == user.nodes.end())
                user.nodes.push_back(node);
    }
    std::erase_if(out.temporaries, [&](const TensorDecl& decl) { return decl.name == stage.out; });
    out.stages.erase(out.stages.begin() + static_cast<std::ptrdiff_t>(at));
    return out;
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
