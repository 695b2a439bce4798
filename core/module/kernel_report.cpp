#include "module/kernel_report.h"

#include "extern/call.h"
#include "fusion/branches.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace fw {

namespace {

std::vector<ReorderStep> reordersOf(const Graph& graph, const Group& group,
                                    const ExternCall& call) {
    std::vector<ReorderStep> out;
    for (const ExternStep& step : call.steps) {
        if (step.kind != runtime::CallKind::Reorder)
            continue;
        ReorderStep row;
        row.name = group.name + step.suffix;
        for (std::size_t i = 0; i < step.operands.size(); ++i) {
            const ExternOperand& operand = step.operands[i];
            if (operand.kind == ExternOperand::Kind::Value) {
                row.value = graph.output(operand.value).name;
                if (const auto count = elementCount(graph.type(operand.value).shape).asInt())
                    row.bytes = 8.0 * static_cast<double>(*count); // f32, read and written
            }
            for (const ExternArgument& argument : step.arguments)
                if (argument.operand == i && operand.kind == ExternOperand::Kind::Between)
                    row.layout = argument.layout.empty() ? "channels-last" : argument.layout;
        }
        out.push_back(std::move(row));
    }
    return out;
}

KernelReport reportOfCall(const Graph& graph, const Group& group) {
    const ExternCall& call = *group.lowering.call;
    KernelReport out;
    out.group = group.id;
    out.schedule = call.kernel;
    out.libraryCall = call.text();
    out.library = group.by->library()->name();
    out.postOps = call.tail;
    out.reorders = reordersOf(graph, group, call);
    out.implementation = group.implementation;
    out.nest.name = group.name;
    out.decisions = call.decisions;
    return out;
}

Stmt withNodes(const Stmt& stmt, const std::vector<NodeId>& nodes) {
    StmtNode node = stmt.node();
    for (std::int64_t& position : node.nodes)
        position = nodes.at(static_cast<std::size_t>(position));
    std::sort(node.nodes.begin(), node.nodes.end());
    for (Stmt& part : node.body)
        part = withNodes(part, nodes);
    return Stmt(std::make_shared<const StmtNode>(std::move(node)));
}

KernelReport reportOfKernel(const Group& group, const std::vector<InPlace>& inPlace) {
    const KernelCode& code = *group.lowering.kernel;
    KernelReport out;
    out.group = group.id;
    for (const ScheduledNest& nest : code.choice.nests)
        if (out.schedule != nest.by && !out.schedule.ends_with(", " + nest.by))
            out.schedule += (out.schedule.empty() ? "" : ", ") + nest.by;
    out.scheduleText = code.choice.schedule.text();
    out.tensorText = code.body.inst.text();
    out.nest = code.choice.lowered.nest;
    out.nest.name = group.name;
    out.nest.body = withNodes(out.nest.body, group.nodes);
    out.implementation = group.implementation;
    out.decisions = code.choice.decisions;
    for (const InPlace& pair : inPlace)
        out.decisions.push_back(
            {group.name, Verdict::Yes, ReasonCode::ReusesMemory,
             fmt::format("{} is written over {}", code.body.inst.outputs[pair.output].name.text(),
                         code.body.inst.inputs[pair.input].name.text())});
    return out;
}

// The ways to compute one group as the report of the group.
KernelReport ofWays(const Group& whole, std::vector<KernelReport> parts) {
    KernelReport out;
    out.group = whole.id;
    out.nest.name = whole.name;
    out.implementation = parts.back().implementation;
    for (const KernelReport& part : parts) {
        out.schedule += (out.schedule.empty() ? "" : ", or ") + part.schedule;
        out.decisions.insert(out.decisions.end(), part.decisions.begin(), part.decisions.end());
    }
    out.parts = std::move(parts);
    return out;
}

// The stages of one group as the report of the group.
KernelReport joined(const Group& whole, std::vector<KernelReport> parts) {
    if (parts.size() == 1) {
        parts.front().group = whole.id;
        return std::move(parts.front());
    }
    KernelReport out;
    out.group = whole.id;
    out.nest.name = whole.name;
    out.implementation = whole.implementation;
    for (const KernelReport& part : parts) {
        if (!part.libraryCall.empty()) {
            out.libraryCall = part.libraryCall;
            out.library = part.library;
            out.postOps = part.postOps;
            out.reorders = part.reorders;
        } else {
            out.kernel = part.kernel;
        }
        out.schedule += (out.schedule.empty() ? "" : ", then ") + part.schedule;
        out.decisions.insert(out.decisions.end(), part.decisions.begin(), part.decisions.end());
    }
    if (out.libraryCall.empty())
        out.implementation = parts.front().implementation;
    out.parts = std::move(parts);
    return out;
}

} // namespace

KernelReport reportOfHost(const Group& group) {
    KernelReport out;
    out.group = group.id;
    out.host = true;
    out.schedule = out.implementation = group.computedBy();
    out.nest.name = group.name;
    return out;
}

KernelReport reportOf(const Graph& graph, const Group& group, const std::vector<InPlace>& inPlace,
                      const Decisions& notices) {
    KernelReport out = group.isHost()        ? reportOfHost(group)
                       : group.lowering.call ? reportOfCall(graph, group)
                                             : reportOfKernel(group, inPlace);
    out.decisions.insert(out.decisions.begin(), notices.begin(), notices.end());
    return out;
}

std::vector<KernelReport> joined(const FusionPlan& plan, const PlanOfParts& parts,
                                 std::vector<KernelReport> reports) {
    std::map<int, std::map<int, std::vector<KernelReport>>> byGroup; // and part
    for (KernelReport& report : reports) {
        const PartOfGroup& from = parts.from.at(static_cast<std::size_t>(report.group));
        byGroup[from.group][from.part].push_back(std::move(report));
    }
    std::vector<KernelReport> out;
    for (auto& [id, own] : byGroup) {
        const Group& group = plan.groups[static_cast<std::size_t>(id)];
        std::vector<KernelReport> all;
        for (auto& [part, leaves] : own) {
            if (group.kind != GroupKind::Choice) {
                std::move(leaves.begin(), leaves.end(), std::back_inserter(all));
                continue;
            }
            const Group& way = group.parts[static_cast<std::size_t>(part)];
            all.push_back(joined(way, std::move(leaves)));
            all.back().when = conditionText(way);
        }
        out.push_back(group.kind == GroupKind::Choice ? ofWays(group, std::move(all))
                                                      : joined(group, std::move(all)));
    }
    return out;
}

} // namespace fw
