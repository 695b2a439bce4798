#include "session/group_times.h"

#include "runtime/native_step.h"
#include "session/candidates.h"
#include "session/compare.h"
#include "session/group_graph.h"
#include "session/measure.h"
#include "session/whole_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

double microseconds(const runtime::StepTime& time) {
    return static_cast<double>(time.endNs - time.startNs) / 1000;
}

} // namespace

Result<std::vector<MeasuredTime>> timeSteps(LoadedModule& module, const MeasureEffort& effort,
                                            const Context& context) {
    std::vector<runtime::StepTime> steps;
    return measureTimes(module.executor().program().steps.size(), effort, context.cancel,
                        [&](std::vector<double>& times) -> Status {
                            FW_CHECK(module.runEach(steps));
                            times.clear();
                            for (const runtime::StepTime& step : steps)
                                times.push_back(microseconds(step));
                            return {};
                        });
}

Result<MeasuredTime> timeStepsTogether(LoadedModule& module, const MeasureEffort& effort,
                                       const Context& context) {
    std::vector<runtime::StepTime> steps;
    FW_TRY(std::vector<MeasuredTime> out,
           measureTimes(1, effort, context.cancel, [&](std::vector<double>& times) -> Status {
               FW_CHECK(module.runEach(steps));
               times = {0};
               for (const runtime::StepTime& step : steps)
                   times[0] += microseconds(step);
               return {};
           }));
    return std::move(out.front());
}

std::string computedBy(const runtime::Program& program, const runtime::Step& step) {
    switch (step.kernel) {
    case runtime::libraryKernel:
        return fmt::format("{}.{}", runtime::libraryText(program.calls[step.call]),
                           runtime::kindText(program.calls[step.call]));
    case runtime::copyKernel:
        return "copy";
    case runtime::hostKernel:
        return "reference";
    case runtime::bindKernel:
        return "sizes";
    case runtime::nativeKernel:
        return fmt::format("runtime.{}", runtime::nativeText(step.call));
    default:
        return "generated";
    }
}

const Group* groupOfStep(const FusionPlan& plan, const runtime::Step& step) {
    return step.group < plan.groups.size() ? &plan.groups[step.group] : nullptr;
}

bool sameOutputs(const Graph& graph, const std::vector<TensorData>& got,
                 const std::vector<TensorData>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (!compareTensors(graph.results()[i].name, got[i], wanted[i], Tolerance()).pass)
            return false;
    return true;
}

const Group* kernelBehind(const Graph& graph, const FusionPlan& plan, const Group& group) {
    if (group.kind != GroupKind::Kernel)
        return nullptr;
    for (const ValueRef output : group.outputs)
        for (const Use& use : graph.uses(output))
            if (const Group& next = plan.groupAt(use.node);
                next.id != group.id && next.kind == GroupKind::Kernel)
                return &next;
    return nullptr;
}

namespace {

// The group behind a library's, if the library refused it and nothing else did.
const Group* refusedNeighbour(const FusionPlan& plan, const Group& group) {
    if (group.kind != GroupKind::Call)
        return nullptr;
    for (const EdgeDecision& edge : plan.edges)
        if (plan.groupOf.at(edge.from) == group.id && plan.groupOf.at(edge.to) != group.id &&
            (edge.decision.code == ReasonCode::AbsorbsNothing ||
             edge.decision.code == ReasonCode::CannotAbsorb))
            return &plan.groupAt(edge.to);
    return nullptr;
}

struct Together {
    snapshot::Pin pin;
    double us = 0;
    bool agree = true, disturbed = false;
};

// Both groups as one, by a pin that makes a library's call a stage of it.
Result<Together> timeForced(Pipeline& pipeline, const Group& group, const Group& next,
                            std::uint64_t seed, double seconds, const Context& context) {
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const GraphPtr part, graphOf(*source->graph, {&group, &next}));
    const ApartRuns runs{.border = borderOf(*source->graph, *plan, *part)};
    PinClause pin;
    pin.kind = fw::PinKind::Together;
    if (group.kind == GroupKind::Call)
        pin.implementation = group.implementation;
    for (const Group* one : {&group, &next})
        for (const NodeId node : one->nodes)
            pin.names.push_back(source->graph->node(node).name);
    FW_TRY(const PlanOptions options, pipeline.planOptions());
    FW_TRY(Apart apart, pipeline.apart(part, options, context, runs));
    FW_TRY(Apart together, apartPinned(pipeline, part, {pin, "fuse --measure"}, context, runs));
    const auto computes = [](const Group& one) { return one.hasCode(); };
    if (std::count_if(together.plan.groups.begin(), together.plan.groups.end(), computes) != 1)
        return makeDiag(DiagCode::NotRunnable, "the pin was refused");
    FW_TRY(const std::vector<TensorData> operands, apart.module->randomInputs(seed, {}));
    FW_TRY(const std::vector<TensorData> wanted, apart.module->run(operands));
    FW_TRY(const std::vector<TensorData> got, together.module->run(operands));
    Together out;
    out.pin = {snapshot::PinKind::Together, pin.names, pin.implementation};
    out.agree = sameOutputs(*part, got, wanted);
    FW_CHECK(together.module->setInputs(operands));
    const MeasureEffort effort{.seconds = seconds};
    FW_TRY(const MeasuredTime time, timeStepsTogether(*together.module, effort, context));
    out.us = time.median();
    out.disturbed = time.disturbed(effort.grain);
    return out;
}

} // namespace

Result<SplitTime> timeSplit(Pipeline& pipeline, const Group& group, std::uint64_t seed,
                            double seconds, const Context& context) {
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const GraphPtr part, graphOf(*source->graph, {&group}));
    const ApartRuns runs{.border = borderOf(*source->graph, *plan, *part)};
    FW_TRY(const PlanOptions options, pipeline.planOptions());
    FW_TRY(Apart whole, pipeline.apart(part, options, context, runs));
    PlanOptions alone = options;
    const FusionBook nothing = options.book->onlyAvoiding();
    alone.book = &nothing;
    FW_TRY(Apart split, pipeline.apart(part, alone, context, runs));
    FW_TRY(const std::vector<TensorData> operands, whole.module->randomInputs(seed, {}));
    FW_TRY(const std::vector<TensorData> wanted, whole.module->run(operands));
    FW_TRY(const std::vector<TensorData> got, split.module->run(operands));
    SplitTime out;
    out.agree = sameOutputs(*part, got, wanted);
    FW_CHECK(split.module->setInputs(operands));
    const MeasureEffort effort{.seconds = seconds};
    FW_TRY(const std::vector<MeasuredTime> times, timeSteps(*split.module, effort, context));
    const runtime::Program& program = split.module->executor().program();
    for (std::size_t s = 0; s < times.size(); ++s)
        if (const Group* one = groupOfStep(split.plan, program.steps[s])) {
            out.us += times[s].median();
            out.each[split.graph->node(one->anchor).name] += times[s].median();
            out.disturbed = out.disturbed || times[s].disturbed(effort.grain);
        }
    return out;
}

Result<std::map<std::string, std::int64_t>>
boundDims(Pipeline& pipeline, const std::vector<TensorData>& operands, const Context& context) {
    FW_TRY(const Imported* imported, pipeline.imported(context));
    FW_TRY(LoadedModule * module, pipeline.loaded(context));
    const Graph& graph = *imported->graph;
    std::map<std::string, std::int64_t> out = pipeline.inputs().dims;
    const runtime::Program& program = module->executor().program();
    for (std::size_t i = graph.inputs().size(); i < operands.size(); ++i) { // made up
        const std::vector<runtime::ExpressionId>& dims = program.tensors[program.inputs[i]].dims;
        for (std::size_t d = 0; d < dims.size(); ++d)
            if (const auto symbol = runtime::symbolOf(program.expressions[dims[d]]))
                out[program.symbols[*symbol].name] = operands[i].extents()[d];
    }
    for (std::size_t i = 0; i < operands.size() && i < graph.inputs().size(); ++i) {
        const TensorType& type = graph.node(graph.inputs()[i]).outputs[0].type;
        for (std::size_t d = 0; d < type.rank() && d < operands[i].extents().size(); ++d)
            for (const Symbol& free : graph.freeDims())
                if (type.shape[d].text() == free.text())
                    out[free.text()] = operands[i].extents()[d];
    }
    return out;
}

namespace {

// One group of a plan that is measured, and for how long.
struct PieceOfPlan {
    Pipeline& pipeline;
    const Graph& graph;
    const FusionPlan& plan;
    const Group& group;
    std::uint64_t seed;
    double seconds;
};

// With the neighbour that its plan refused, or with the kernel behind it.
Status measureTogether(const PieceOfPlan& piece, GroupRecord& row, MeasuredPieces& pieces,
                       std::vector<std::string>& notices, const Context& context) {
    const Group& group = piece.group;
    const Group* const refused = refusedNeighbour(piece.plan, group);
    const Group* const next =
        refused != nullptr ? refused : kernelBehind(piece.graph, piece.plan, group);
    if (next == nullptr)
        return {};
    Result<Together> forced =
        timeForced(piece.pipeline, group, *next, piece.seed, piece.seconds, context);
    if (!forced && forced.diag().code == DiagCode::Cancelled)
        return forced.diag();
    if (!forced && refused != nullptr)
        notices.push_back(fmt::format("{} was not measured together with {}: {}", row.name,
                                      next->name, forced.diag().text()));
    if (forced && refused != nullptr) {
        row.forcedUs = forced->us;
        row.forced = forced->pin.nodes;
        row.agree = row.agree.value_or(true) && forced->agree;
        row.disturbed = row.disturbed || forced->disturbed;
    }
    if (forced && forced->agree && !forced->disturbed)
        pieces.addTogether(group, *next, forced->pin, forced->us);
    return {};
}

Status measureSplit(const PieceOfPlan& piece, GroupRecord& row, MeasuredPieces& pieces,
                    std::vector<std::string>& notices, const Context& context) {
    const Group& group = piece.group;
    if (!group.hasCode() || group.nodes.size() < 2)
        return {};
    const Result<SplitTime> split =
        timeSplit(piece.pipeline, group, piece.seed, piece.seconds, context);
    if (!split) {
        if (split.diag().code == DiagCode::Cancelled)
            return split.diag();
        notices.push_back(
            fmt::format("{} was not measured split: {}", row.name, split.diag().text()));
        return {};
    }
    pieces.addSplit(group, *split);
    row.splitUs = split->us;
    row.disturbed = row.disturbed || split->disturbed;
    row.agree = row.agree.value_or(true) && split->agree;
    return {};
}

} // namespace

Status measureGroups(Pipeline& pipeline, const Arguments& arguments, FuseDocument& document,
                     const Context& context) {
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(LoadedModule * module, pipeline.loaded(context));
    FW_TRY(const Operands operands, operandsFor(pipeline, *module, arguments, context));
    FW_CHECK(module->setInputs(operands.inputs));
    context.report("run", "every group alone");
    const double seconds = arguments.seconds.value_or(0.5);
    const MeasureEffort effort{.seconds = seconds};
    FW_TRY(const std::vector<MeasuredTime> alone, timeSteps(*module, effort, context));
    const runtime::Program& program = module->executor().program();
    for (std::size_t s = 0; s < alone.size(); ++s)
        if (const Group* group = groupOfStep(*plan, program.steps[s])) {
            GroupRecord& row = document.groups.at(static_cast<std::size_t>(group->id));
            row.aloneUs = row.aloneUs.value_or(0) + alone[s].median();
            row.disturbed = row.disturbed || alone[s].disturbed(effort.grain);
        }
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    MeasuredPieces pieces(*source->graph, *plan);
    std::size_t done = 0;
    for (GroupRecord& row : document.groups) {
        const Group& group = plan->groups[static_cast<std::size_t>(row.id)];
        context.report("run", row.name + " split", done++, document.groups.size());
        const auto seed = static_cast<std::uint64_t>(arguments.seed.value_or(1));
        pieces.addGroup(group, row.aloneUs.value_or(0));
        const PieceOfPlan piece{pipeline, *source->graph, *plan, group, seed, seconds / 10};
        FW_CHECK(measureTogether(piece, row, pieces, document.notices, context));
        FW_CHECK(measureSplit(piece, row, pieces, document.notices, context));
    }
    document.notices.push_back(pieces.sentence());
    return {};
}

} // namespace fw
