#include "session/partitioned.h"

#include "base/numbers.h"
#include "fusion/partition.h"
#include "ir/missing_type.h"
#include "session/describe.h"
#include "session/listing.h"
#include "strategy/library.h"

namespace fw {

namespace {

using namespace snapshot;

// For people.
std::string ownerOf(const std::string& owner) {
    return owner.empty() ? "code of ours" : owner;
}

const Group& groupOf(const FusionPlan& plan, int id) {
    return plan.groups[static_cast<std::size_t>(id)];
}

std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "# onednn: 2 regions, 9 groups, 21 operators"
void listOwners(Listing& listing, const FusionPlan& plan, const Partition& partition) {
    struct Count {
        std::size_t regions = 0, groups = 0, operators = 0;
    };
    std::map<std::string, Count> owners;
    for (const Region& region : partition.regions) {
        Count& count = owners[ownerOf(region.owner)];
        ++count.regions;
        count.groups += region.groups.size();
        for (const int id : region.groups)
            count.operators += groupOf(plan, id).nodes.size();
    }
    for (const auto& [owner, count] : owners)
        listing.line(fmt::format("# {}: {}, {}, {}", owner, counted(count.regions, "region"),
                                 counted(count.groups, "group"),
                                 counted(count.operators, "operator")));
    listing.line(
        fmt::format("# {} bytes pass between regions", numberText(partition.bytesCrossing)));
}

std::vector<BorderRecord> borderOf(const Graph& graph, const std::vector<ValueRef>& values) {
    std::vector<BorderRecord> out;
    for (const ValueRef& value : values)
        out.push_back(
            {graph.output(value).name, shownType(graph, value), value.node, bytesOf(graph, value)});
    return out;
}

void listBorder(Listing& listing, const char* way, const std::vector<BorderRecord>& values) {
    for (const BorderRecord& value : values)
        listing.line(fmt::format("    {} {}: {}, {} bytes", way, value.name, value.type,
                                 numberText(value.bytes)),
                     {value.node});
}

std::string libraryOf(const Candidate& candidate) {
    const Library* library = candidate.by ? candidate.by->library() : nullptr;
    return library != nullptr ? library->name() : std::string();
}

// Of every other owner what it could compute of the region, with the implementation that would be
// chosen were there no others.
std::vector<RegionChoice> choicesOf(const FusionPlan& plan, const Region& region) {
    std::map<std::string, RegionChoice> found;
    for (const int id : region.groups) {
        const Group& group = groupOf(plan, id);
        std::map<std::string, Candidates> byOwner;
        for (const Candidate& candidate : group.candidates)
            if (candidate.verdict == Verdict::Yes && candidate.by && group.hasCode())
                byOwner[libraryOf(candidate)].push_back(candidate);
        for (const auto& [owner, candidates] : byOwner)
            if (const auto choice = chooseAmong(candidates); choice && owner != region.owner) {
                RegionChoice& one = found[owner];
                one.owner = owner;
                one.uses.push_back({group.anchor, candidates[choice->index].implementation});
            }
    }
    std::vector<RegionChoice> out;
    for (auto& [owner, choice] : found)
        out.push_back(std::move(choice));
    return out;
}

Result<RegionRecord> describeRegion(Pipeline& pipeline, const Graph& graph, const FusionPlan& plan,
                                    const Partition& partition, std::size_t number,
                                    const Context& context) {
    const Region& region = partition.regions[number];
    RegionRecord out;
    out.id = static_cast<int>(number);
    out.name = region.name;
    out.owner = region.owner;
    out.inputs = borderOf(graph, region.inputs);
    out.outputs = borderOf(graph, region.outputs);
    out.choices = choicesOf(plan, region);
    for (const int id : region.groups) {
        if (context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "looking at the regions was cancelled");
        const Group& group = groupOf(plan, id);
        RegionCall& call = out.calls.emplace_back();
        call.group = id;
        call.name = group.name;
        call.by = group.computedBy();
        if (!region.owner.empty() && group.hasCode()) {
            FW_TRY(const KernelReport report, pipeline.lowered(id, context));
            call.postOps = report.postOps;
        }
    }
    return out;
}

} // namespace

Result<StagesDocument> partitionText(Pipeline& pipeline, const Context& context) {
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const Simplified* simplified, pipeline.simplified(context));
    const Graph& graph = *simplified->graph;
    const Partition partition = partitionOf(graph, *plan);
    Listing listing;
    listOwners(listing, *plan, partition);
    for (std::size_t i = 0; i < partition.regions.size(); ++i) {
        FW_TRY(const RegionRecord region,
               describeRegion(pipeline, graph, *plan, partition, i, context));
        std::vector<NodeId> nodes;
        for (const RegionCall& call : region.calls) {
            const Group& group = groupOf(*plan, call.group);
            nodes.insert(nodes.end(), group.nodes.begin(), group.nodes.end());
        }
        listing.line(fmt::format("region {} by {} {{", region.name, ownerOf(region.owner)), nodes);
        listBorder(listing, "in ", region.inputs);
        listBorder(listing, "out", region.outputs);
        for (const RegionCall& call : region.calls) {
            const Group& group = groupOf(*plan, call.group);
            listing.line(fmt::format("    group {} by {}{}", call.name, call.by,
                                     call.postOps.empty()
                                         ? std::string()
                                         : fmt::format(", then {}", fmt::join(call.postOps, ", "))),
                         group.nodes);
            for (const NodeId node : group.nodes)
                listing.line("        " + operatorLine(graph, graph.node(node)), {node});
        }
        listing.line("}", nodes);
    }
    return listing.take();
}

Result<GraphDocument> partitionGraph(Pipeline& pipeline, const Context& context) {
    FW_TRY(const Imported* imported, pipeline.imported(context));
    FW_TRY(const Simplified* simplified, pipeline.simplified(context));
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    const Partition partition = partitionOf(*simplified->graph, *plan);
    GraphDocument out = describeGraph(*simplified->graph, "partitioned", *imported->graph, plan);
    for (NodeRecord& node : out.nodes)
        if (node.group >= 0)
            node.group = partition.regionOf[static_cast<std::size_t>(node.group)];
    out.groups.clear();
    out.bytesCrossing = partition.bytesCrossing;
    for (std::size_t i = 0; i < partition.regions.size(); ++i) {
        const Region& region = partition.regions[i];
        using snapshot::Maker;
        GroupLabel label{static_cast<int>(i),
                         region.name,
                         region.owner.empty() ? "generated" : region.owner,
                         {region.owner.empty() ? Maker::Generated : Maker::Library, region.owner},
                         {}};
        for (const int id : region.groups)
            label.estUs = label.estUs.value_or(0) + groupOf(*plan, id).estimateUs;
        out.groups.push_back(std::move(label));
        FW_TRY(RegionRecord record,
               describeRegion(pipeline, *simplified->graph, *plan, partition, i, context));
        out.regions.push_back(std::move(record));
    }
    return out;
}

} // namespace fw
