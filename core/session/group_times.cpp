#include "session/group_times.h"

#include "runtime/native_step.h"
#include "session/candidates.h"
#include "session/compare.h"
#include "session/describe.h"
#include "session/explain.h"
#include "session/group_graph.h"
#include "session/measure.h"
#include "session/whole_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

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
    double us = 0, iqrUs = 0, estUs = 0;
    bool agree = true, disturbed = false;
};

double expectedBy(const FusionPlan& plan) {
    double out = 0;
    for (const Group& group : plan.groups)
        out += group.estimateUs;
    return out;
}

// A value of one is read by the other, and nothing leads from one to the other by way of a third.
bool mayBeOne(const Graph& graph, const Group& a, const Group& b) {
    const std::set<NodeId> first(a.nodes.begin(), a.nodes.end());
    const std::set<NodeId> second(b.nodes.begin(), b.nodes.end());
    bool reads = false, around = false;
    const auto follow = [&](const std::set<NodeId>& from, const std::set<NodeId>& to) {
        std::vector<NodeId> left(from.begin(), from.end());
        std::set<NodeId> seen = from;
        while (!left.empty()) {
            const Node& node = graph.node(left.back());
            left.pop_back();
            for (std::size_t i = 0; i < node.outputs.size(); ++i)
                for (const Use& use : graph.uses({node.id, static_cast<int>(i)})) {
                    if (to.contains(use.node))
                        (from.contains(node.id) ? reads : around) = true;
                    else if (seen.insert(use.node).second)
                        left.push_back(use.node);
                }
        }
    };
    follow(first, second);
    follow(second, first);
    return reads && !around;
}

// Both groups as one, by a pin that makes a library's call a stage of it.
Result<Together> timeForced(Pipeline& pipeline, const Group& group, const Group& next,
                            std::uint64_t seed, double seconds, const Context& context) {
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    if (!mayBeOne(*source->graph, group, next))
        return makeDiag(
            DiagCode::NotRunnable,
            "no value leads from one to the other, or one leads there by way of others");
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
    std::set<int> homes;
    for (const std::string& name : pin.names) {
        const Node* node = part->findByName(name);
        if (node == nullptr)
            return makeDiag(DiagCode::NotRunnable, "the two are not parts of one graph");
        if (!isView(*part, *node))
            homes.insert(together.plan.groupOf.at(node->id));
    }
    if (homes.size() != 1)
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
    out.iqrUs = time.iqr();
    out.estUs = expectedBy(together.plan);
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
    out.estUs = expectedBy(split.plan);
    out.agree = sameOutputs(*part, got, wanted);
    FW_CHECK(split.module->setInputs(operands));
    const MeasureEffort effort{.seconds = seconds};
    FW_TRY(const std::vector<MeasuredTime> times, timeSteps(*split.module, effort, context));
    const runtime::Program& program = split.module->executor().program();
    for (std::size_t s = 0; s < times.size(); ++s)
        if (const Group* one = groupOfStep(split.plan, program.steps[s])) {
            out.us += times[s].median();
            out.iqrUs += times[s].iqr();
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

// Of some groups of a plan; none: of all of them.
class GroupMeasurement {
public:
    GroupMeasurement(Pipeline& pipeline, const Arguments& arguments, FuseDocument& document,
                     const Context& context, const Graph& graph, const FusionPlan& plan)
        : m_pipeline(pipeline), m_document(document), m_context(context), m_graph(graph),
          m_plan(plan), m_seed(static_cast<std::uint64_t>(arguments.seed.value_or(1))),
          m_seconds(arguments.seconds.value_or(0.5)), m_pieces(graph, plan) {}

    Status choose(const std::vector<std::string>& nodes) {
        for (const std::string& name : nodes) {
            FW_TRY(const Node* node, findNode(m_graph, name));
            const auto of = m_plan.groupOf.find(node->id);
            if (of == m_plan.groupOf.end())
                return makeDiag(DiagCode::NotRunnable, fmt::format("{} is in no group", name));
            const Group& group = m_plan.groups[static_cast<std::size_t>(of->second)];
            if (group.isView() || group.isOpaque())
                return makeDiag(DiagCode::NotRunnable,
                                fmt::format("{} takes no time that could be measured: {}", name,
                                            group.isView() ? "it is a view of what it reads"
                                                           : "nothing computes it"),
                                {}, fmt::format("fw explain MODEL '{}' says why", name));
            m_wanted.insert(group.id);
        }
        if (m_wanted.size() > 2)
            return makeDiag(DiagCode::Usage,
                            fmt::format("these operators are in {} groups", m_wanted.size()), {},
                            "name operators of one group, or of two that are timed together, too");
        if (nodes.size() > 1 && m_wanted.size() == 1)
            m_document.notices.push_back(
                fmt::format("{} are in one group, {}", fmt::join(nodes, " and "),
                            m_plan.groups[static_cast<std::size_t>(*m_wanted.begin())].name));
        return {};
    }

    Status run(LoadedModule& module) {
        FW_CHECK(timeAlone(module));
        std::size_t done = 0;
        for (GroupRecord& row : m_document.groups) {
            m_context.report("run", row.name + " split", done++, m_document.groups.size());
            if (!isWanted(row.id))
                continue;
            const Group& group = m_plan.groups[static_cast<std::size_t>(row.id)];
            m_pieces.addGroup(group, row.aloneUs.value_or(0));
            FW_CHECK(timeTogether(group, row));
            if (group.hasCode() && group.nodes.size() > 1)
                FW_CHECK(timeApart(group, row));
        }
        if (m_wanted.empty())
            m_document.notices.push_back(m_pieces.sentence());
        leaveOutOthers();
        return {};
    }

private:
    bool isWanted(int group) const { return m_wanted.empty() || m_wanted.contains(group); }
    void leaveOutOthers() {
        const auto isOther = [&](NodeId node) {
            const auto of = m_plan.groupOf.find(node);
            return of == m_plan.groupOf.end() || !isWanted(of->second);
        };
        std::erase_if(m_document.groups, [&](const GroupRecord& row) { return !isWanted(row.id); });
        std::erase_if(m_document.decisions, [&](const DecisionRecord& one) {
            return isOther(one.fromId) && isOther(one.toId);
        });
    }
    // Of each of many a part is enough.
    double secondsOfOne() const { return m_wanted.empty() ? m_seconds / 10 : m_seconds; }

    Status timeAlone(LoadedModule& module) {
        const MeasureEffort effort{.seconds = m_seconds};
        FW_TRY(const std::vector<MeasuredTime> alone, timeSteps(module, effort, m_context));
        const runtime::Program& program = module.executor().program();
        for (std::size_t s = 0; s < alone.size(); ++s)
            if (const Group* group = groupOfStep(m_plan, program.steps[s])) {
                GroupRecord& row = m_document.groups.at(static_cast<std::size_t>(group->id));
                row.aloneUs = row.aloneUs.value_or(0) + alone[s].median();
                row.aloneIqrUs = row.aloneIqrUs.value_or(0) + alone[s].iqr();
                row.disturbed = row.disturbed || alone[s].disturbed(effort.grain);
            }
        return {};
    }

    // What the group may be forced together with: another one that is wanted, or what a library
    // refused; null: nothing.
    const Group* forcedWith(const Group& group) const {
        if (m_wanted.size() == 2)
            return group.id == *m_wanted.begin()
                       ? &m_plan.groups[static_cast<std::size_t>(*m_wanted.rbegin())]
                       : nullptr;
        return refusedNeighbour(m_plan, group);
    }

    Status timeTogether(const Group& group, GroupRecord& row) {
        const Group* const forced = forcedWith(group);
        const Group* const next = forced != nullptr  ? forced
                                  : m_wanted.empty() ? kernelBehind(m_graph, m_plan, group)
                                                     : nullptr;
        if (next == nullptr)
            return {};
        const Result<Together> time =
            timeForced(m_pipeline, group, *next, m_seed, secondsOfOne(), m_context);
        if (!time && time.diag().code == DiagCode::Cancelled)
            return time.diag();
        if (!time && forced != nullptr)
            m_document.notices.push_back(fmt::format("{} was not measured together with {}: {}",
                                                     row.name, next->name, time.diag().text()));
        if (time && forced != nullptr) {
            row.forcedUs = time->us;
            row.forcedIqrUs = time->iqrUs;
            row.forcedEstUs = time->estUs;
            row.forced = time->pin.nodes;
            row.agree = row.agree.value_or(true) && time->agree;
            row.disturbed = row.disturbed || time->disturbed;
        }
        if (time && time->agree && !time->disturbed)
            m_pieces.addTogether(group, *next, time->pin, time->us);
        return {};
    }

    Status timeApart(const Group& group, GroupRecord& row) {
        const Result<SplitTime> split =
            timeSplit(m_pipeline, group, m_seed, secondsOfOne(), m_context);
        if (!split) {
            if (split.diag().code == DiagCode::Cancelled)
                return split.diag();
            m_document.notices.push_back(
                fmt::format("{} was not measured split: {}", row.name, split.diag().text()));
            return {};
        }
        m_pieces.addSplit(group, *split);
        row.splitUs = split->us;
        row.splitIqrUs = split->iqrUs;
        row.splitEstUs = split->estUs;
        row.disturbed = row.disturbed || split->disturbed;
        row.agree = row.agree.value_or(true) && split->agree;
        return {};
    }

    Pipeline& m_pipeline;
    FuseDocument& m_document;
    const Context& m_context;
    const Graph& m_graph;
    const FusionPlan& m_plan;
    const std::uint64_t m_seed;
    const double m_seconds;
    std::set<int> m_wanted; // none: all
    MeasuredPieces m_pieces;
};

} // namespace

Status measureGroups(Pipeline& pipeline, const Arguments& arguments, FuseDocument& document,
                     const Context& context) {
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    GroupMeasurement measurement(pipeline, arguments, document, context, *source->graph, *plan);
    FW_CHECK(measurement.choose(arguments.nodes));
    FW_TRY(LoadedModule * module, pipeline.loaded(context));
    FW_TRY(const Operands operands, operandsFor(pipeline, *module, arguments, context));
    FW_CHECK(module->setInputs(operands.inputs));
    context.report("run", "every group alone");
    return measurement.run(*module);
}

} // namespace fw
