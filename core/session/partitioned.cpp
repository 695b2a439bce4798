#include "session/partitioned.h"

#include "base/numbers.h"
#include "fusion/partition.h"
#include "session/describe.h"
#include "session/listing.h"

namespace fw {

namespace {

using namespace snapshot;

std::string ownerOf(const Region& region) {
    return region.owner.empty() ? "code of ours" : region.owner;
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
        Count& count = owners[ownerOf(region)];
        ++count.regions;
        count.groups += region.groups.size();
        for (const int id : region.groups)
            count.operators += plan.groups[static_cast<std::size_t>(id)].nodes.size();
    }
    for (const auto& [owner, count] : owners)
        listing.line(fmt::format("# {}: {}, {}, {}", owner, counted(count.regions, "region"),
                                 counted(count.groups, "group"),
                                 counted(count.operators, "operator")));
    listing.line(
        fmt::format("# {} bytes pass between regions", numberText(partition.bytesCrossing)));
}

void listBorder(Listing& listing, const Graph& graph, const char* way,
                const std::vector<ValueRef>& values) {
    for (const ValueRef& value : values)
        listing.line(fmt::format("    {} {}: {}, {} bytes", way, graph.output(value).name,
                                 graph.type(value).text(), numberText(bytesOf(graph, value))),
                     {value.node});
}

} // namespace

Result<StagesDocument> partitionText(Pipeline& pipeline, const Context& context) {
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const Simplified* simplified, pipeline.simplified(context));
    const Graph& graph = *simplified->graph;
    const Partition partition = partitionOf(graph, *plan);
    Listing listing;
    listOwners(listing, *plan, partition);
    for (const Region& region : partition.regions) {
        std::vector<NodeId> nodes;
        for (const int id : region.groups) {
            const Group& group = plan->groups[static_cast<std::size_t>(id)];
            nodes.insert(nodes.end(), group.nodes.begin(), group.nodes.end());
        }
        listing.line(fmt::format("region {} by {} {{", region.name, ownerOf(region)), nodes);
        listBorder(listing, graph, "in ", region.inputs);
        listBorder(listing, graph, "out", region.outputs);
        for (const int id : region.groups) {
            if (context.cancel.cancelled())
                return makeDiag(DiagCode::Cancelled, "the listing was cancelled");
            const Group& group = plan->groups[static_cast<std::size_t>(id)];
            std::string does;
            if (!region.owner.empty() && !group.isView()) {
                FW_TRY(const KernelReport report, pipeline.lowered(group.id, context));
                if (!report.postOps.empty())
                    does = fmt::format(", then {}", fmt::join(report.postOps, ", "));
            }
            listing.line(fmt::format("    group {} by {}{}", group.name, group.computedBy(), does),
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
    for (std::size_t i = 0; i < partition.regions.size(); ++i) {
        const Region& region = partition.regions[i];
        // Pictures tell owners apart as they do implementations.
        GroupLabel label{static_cast<int>(i),
                         region.name,
                         region.owner.empty() ? "generated" : region.owner,
                         {}};
        for (const int id : region.groups)
            label.estUs =
                label.estUs.value_or(0) + plan->groups[static_cast<std::size_t>(id)].estimateUs;
        out.groups.push_back(std::move(label));
    }
    return out;
}

} // namespace fw
