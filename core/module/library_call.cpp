#include "module/library_call.h"

#include <algorithm>

namespace fw {

namespace {

// Whether `output` of the group may be written where `value` lies: nobody reads it afterwards, and
// both are whole tensors of the arena in the same order.
bool mayReuse(const Graph& graph, const FusionPlan& plan, const Group& group, ValueRef value,
              ValueRef output) {
    const Node& producer = graph.node(value.node);
    if (producer.isInput() || producer.isConstant() || isView(graph, producer) ||
        graph.isResult(value) || graph.isResult(output) ||
        plan.layout(value) != plan.layout(output) || graph.type(value) != graph.type(output))
        return false;
    for (const Use& use : graph.uses(value)) {
        const auto reader = plan.groupOf.find(use.node);
        if (isView(graph, graph.node(use.node)) || reader == plan.groupOf.end() ||
            reader->second > group.id)
            return false;
    }
    // Inside the group it is read once: by the operator that adds it.
    std::size_t readers = 0;
    for (const Use& use : graph.uses(value))
        readers += std::find(group.nodes.begin(), group.nodes.end(), use.node) != group.nodes.end();
    return readers == 1;
}

} // namespace

Result<ExternCall> libraryCall(const Graph& graph, const FusionPlan& plan, const Group& group,
                               const Target& target) {
    const auto anchor = std::find(group.nodes.begin(), group.nodes.end(), group.anchor);
    if (anchor != group.nodes.begin())
        return makeDiag(DiagCode::LibraryFailed, "it computes nothing before its call");
    CallSite site;
    site.graph = &graph;
    site.anchor = group.anchor;
    site.epilogue.assign(anchor + 1, group.nodes.end());
    site.layout = [&plan](ValueRef value) { return plan.layout(value); };
    site.mayReuse = [&](ValueRef value, ValueRef output) {
        return mayReuse(graph, plan, group, value, output);
    };
    return externCall(group.computedBy, site, target);
}

} // namespace fw
