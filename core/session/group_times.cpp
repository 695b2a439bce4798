#include "session/group_times.h"

#include "session/candidates.h"
#include "session/compare.h"
#include "session/measure.h"
#include "session/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace fw {

namespace {

using namespace snapshot;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace

Result<std::vector<double>> timeSteps(LoadedModule& module, double seconds,
                                      const Context& context) {
    std::vector<runtime::StepTime> times;
    std::vector<std::vector<double>> samples(module.executor().program().steps.size());
    const auto start = Clock::now();
    for (int i = 0; i < 5 || (secondsSince(start) < seconds && i < 2000); ++i) {
        if (context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "the measurement was cancelled");
        FW_CHECK(module.runEach(times));
        for (std::size_t s = 0; s < times.size(); ++s)
            samples[s].push_back(static_cast<double>(times[s].endNs - times[s].startNs) / 1000);
    }
    std::vector<double> out;
    for (std::vector<double>& one : samples) {
        std::sort(one.begin(), one.end());
        out.push_back(one[one.size() / 2]);
    }
    return out;
}

const Group* groupOfStep(const FusionPlan& plan, const std::string& step) {
    const Group* out = nullptr;
    for (const Group& group : plan.groups) {
        if (group.name == step)
            return &group;
        // Names of groups end with their number, so no group's name begins another's.
        if (step.starts_with(group.name + "_"))
            out = &group;
    }
    return out;
}

bool sameOutputs(const Graph& graph, const std::vector<TensorData>& got,
                 const std::vector<TensorData>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (!compareTensors(graph.results()[i].name, got[i], wanted[i], Tolerance()).pass)
            return false;
    return true;
}

namespace {

// The group behind a library's, if the library refused it and nothing else did.
const Group* refusedNeighbour(const FusionPlan& plan, const Group& group) {
    if (group.isView() || group.implementation.starts_with("generated."))
        return nullptr;
    for (const EdgeDecision& edge : plan.edges)
        if (plan.groupOf.at(edge.from) == group.id && plan.groupOf.at(edge.to) != group.id &&
            (edge.decision.code == ReasonCode::AbsorbsNothing ||
             edge.decision.code == ReasonCode::CannotAbsorb))
            return &plan.groupAt(edge.to);
    return nullptr;
}

// Both groups as one, by a pin that makes the library's call a stage of it.
Status timeForced(Pipeline& pipeline, const Group& group, const Group& next, std::uint64_t seed,
                  double seconds, GroupRecord& row, const Context& context) {
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    FW_TRY(const GraphPtr part, graphOf(*source->graph, {&group, &next}));
    PinClause pin;
    pin.kind = PinKind::Together;
    pin.implementation = group.implementation;
    for (const Group* one : {&group, &next})
        for (const NodeId node : one->nodes)
            pin.names.push_back(source->graph->node(node).name);
    FW_TRY(const PlanOptions options, pipeline.planOptions());
    FW_TRY(Apart apart, pipeline.apart(part, options, context));
    FW_TRY(Apart together, apartPinned(pipeline, part, {pin, "fuse --measure"}, context));
    const auto computes = [](const Group& one) { return !one.isView(); };
    if (std::count_if(together.plan.groups.begin(), together.plan.groups.end(), computes) != 1)
        return makeDiag(DiagCode::NotRunnable, "the pin was refused");
    FW_TRY(const std::vector<TensorData> operands, apart.module->randomInputs(seed, {}));
    FW_TRY(const std::vector<TensorData> wanted, apart.module->run(operands));
    FW_TRY(const std::vector<TensorData> got, together.module->run(operands));
    row.agree = row.agree.value_or(true) && sameOutputs(*part, got, wanted);
    FW_CHECK(together.module->setInputs(operands));
    FW_TRY(const std::vector<double> times, timeSteps(*together.module, seconds, context));
    row.forcedUs = std::accumulate(times.begin(), times.end(), 0.0);
    row.forced = pin.names;
    return {};
}

} // namespace

Result<SplitTime> timeSplit(Pipeline& pipeline, const Group& group, std::uint64_t seed,
                            double seconds, const Context& context) {
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    FW_TRY(const GraphPtr part, graphOf(*source->graph, {&group}));
    FW_TRY(const PlanOptions options, pipeline.planOptions());
    FW_TRY(Apart whole, pipeline.apart(part, options, context));
    PlanOptions alone = options;
    const FusionBook nothing = options.book->onlyAvoiding();
    alone.book = &nothing;
    FW_TRY(Apart split, pipeline.apart(part, alone, context));
    FW_TRY(const std::vector<TensorData> operands, whole.module->randomInputs(seed, {}));
    FW_TRY(const std::vector<TensorData> wanted, whole.module->run(operands));
    FW_TRY(const std::vector<TensorData> got, split.module->run(operands));
    SplitTime out;
    out.agree = sameOutputs(*part, got, wanted);
    FW_CHECK(split.module->setInputs(operands));
    FW_TRY(const std::vector<double> times, timeSteps(*split.module, seconds, context));
    const runtime::Program& program = split.module->executor().program();
    for (std::size_t s = 0; s < times.size(); ++s)
        if (const Group* one = groupOfStep(split.plan, program.steps[s].name)) {
            out.us += times[s];
            out.each[split.graph->node(one->anchor).name] += times[s];
        }
    return out;
}

Result<std::map<std::string, std::int64_t>>
boundDims(Pipeline& pipeline, const std::vector<TensorData>& operands, const Context& context) {
    FW_TRY(const Imported* imported, pipeline.imported(context));
    const Graph& graph = *imported->graph;
    std::map<std::string, std::int64_t> out = pipeline.inputs().dims;
    for (std::size_t i = 0; i < operands.size() && i < graph.inputs().size(); ++i) {
        const TensorType& type = graph.node(graph.inputs()[i]).outputs[0].type;
        for (std::size_t d = 0; d < type.rank() && d < operands[i].extents().size(); ++d)
            for (const Symbol& free : graph.freeDims())
                if (type.shape[d].text() == free.text())
                    out[free.text()] = operands[i].extents()[d];
    }
    return out;
}

Status measureGroups(Pipeline& pipeline, const Arguments& arguments, FuseDocument& document,
                     const Context& context) {
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(LoadedModule * module, pipeline.loaded(context));
    FW_TRY(const Operands operands, operandsFor(pipeline, *module, arguments, context));
    FW_CHECK(module->setInputs(operands.inputs));
    context.report("run", "every group alone");
    const double seconds = arguments.seconds.value_or(0.5);
    FW_TRY(const std::vector<double> alone, timeSteps(*module, seconds, context));
    const runtime::Program& program = module->executor().program();
    for (std::size_t s = 0; s < alone.size(); ++s)
        if (const Group* group = groupOfStep(*plan, program.steps[s].name)) {
            GroupRecord& row = document.groups.at(static_cast<std::size_t>(group->id));
            row.aloneUs = row.aloneUs.value_or(0) + alone[s];
        }
    std::size_t done = 0;
    for (GroupRecord& row : document.groups) {
        const Group& group = plan->groups[static_cast<std::size_t>(row.id)];
        context.report("run", row.name + " split", done++, document.groups.size());
        const auto seed = static_cast<std::uint64_t>(arguments.seed.value_or(1));
        if (const Group* next = refusedNeighbour(*plan, group))
            if (const Status status =
                    timeForced(pipeline, group, *next, seed, seconds / 10, row, context);
                !status)
                document.notices.push_back(fmt::format("{} was not measured together with {}: {}",
                                                       row.name, next->name, status.diag().text()));
        if (group.isView() || group.nodes.size() < 2)
            continue;
        const Result<SplitTime> split = timeSplit(pipeline, group, seed, seconds / 10, context);
        if (!split) {
            if (split.diag().code == DiagCode::Cancelled)
                return split.diag();
            document.notices.push_back(
                fmt::format("{} was not measured split: {}", row.name, split.diag().text()));
            continue;
        }
        row.splitUs = split->us;
        row.agree = row.agree.value_or(true) && split->agree;
    }
    return {};
}

} // namespace fw
