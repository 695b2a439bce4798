#include "session/group_graph.h"

#include <algorithm>
#include <set>

namespace fw {

Result<GraphPtr> graphOf(const Graph& graph, const std::vector<const Group*>& groups) {
    std::set<NodeId> nodes;
    for (const Group* group : groups)
        nodes.insert(group->nodes.begin(), group->nodes.end());
    std::vector<ValueRef> inputs;
    std::vector<NamedValue> results;
    for (const Group* group : groups) {
        for (const ValueRef& input : group->inputs)
            if (graph.constant(input) == nullptr && !nodes.contains(input.node) &&
                std::find(inputs.begin(), inputs.end(), input) == inputs.end())
                inputs.push_back(input);
        for (const ValueRef& output : group->outputs) {
            const auto uses = graph.uses(output);
            if (graph.isResult(output) ||
                std::any_of(uses.begin(), uses.end(),
                            [&](const Use& use) { return !nodes.contains(use.node); }))
                results.push_back({graph.output(output).name, output});
        }
    }
    return partOf(graph, inputs, results);
}

std::map<ValueRef, StorageMap> borderOf(const Graph& graph, const FusionPlan& plan,
                                        const Graph& part) {
    std::map<std::string_view, const StorageMap*> named;
    for (const auto& [value, map] : plan.layouts)
        if (isWhole(map, graph.type(value).shape))
            named.emplace(graph.output(value).name, &map);
    std::map<ValueRef, StorageMap> out;
    const auto add = [&](ValueRef value, const std::string& name) {
        if (const auto found = named.find(name); found != named.end())
            out.emplace(value, *found->second);
    };
    for (const NodeId input : part.inputs())
        add({input, 0}, part.node(input).outputs[0].name);
    for (const NamedValue& result : part.results())
        add(result.value, result.name);
    return out;
}

} // namespace fw
