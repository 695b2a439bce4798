#include "session/values.h"

#include "session/group_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

std::optional<ValueRef> findValue(const Graph& graph, const std::string& name) {
    const Node* node = graph.findByName(name);
    if (node == nullptr || node->outputs.empty())
        return std::nullopt;
    for (std::size_t i = 0; i < node->outputs.size(); ++i)
        if (node->outputs[i].name == name)
            return ValueRef{node->id, static_cast<int>(i)};
    return ValueRef{node->id, 0};
}

// In the graph that is planned; a call is found by its name, too.
std::optional<ValueRef> findImported(const Imported& imported, const std::string& name) {
    if (const auto value = findValue(*imported.inlined, name))
        return value;
    const auto call = findValue(*imported.graph, name);
    return call ? findValue(*imported.inlined, imported.graph->output(*call).name) : std::nullopt;
}

// What the plan makes of the value, if it is not simply there.
std::string whereItWent(const Graph& graph, const FusionPlan& plan, const std::string& name,
                        bool imported) {
    const std::optional<ValueRef> value = findValue(graph, name);
    if (!value)
        return fmt::format("{} is not in the rewritten graph; it was computed as imported", name);
    const auto group = plan.groupOf.find(value->node);
    if (group == plan.groupOf.end())
        return {};
    const Group& home = plan.groups[static_cast<std::size_t>(group->second)];
    if (std::find(home.outputs.begin(), home.outputs.end(), *value) != home.outputs.end())
        return imported ? std::string() : name + " is a value of the rewritten graph";
    return fmt::format("{} lies inside the group {} and is not kept; it was computed apart", name,
                       home.name);
}

// All inputs of the model, so that the operands of a run fit.
std::vector<ValueRef> inputsOf(const Graph& graph) {
    std::vector<ValueRef> out;
    for (const NodeId id : graph.inputs())
        out.push_back({id, 0});
    return out;
}

Result<std::vector<TensorData>> computed(Pipeline& pipeline, const Graph& graph,
                                         const std::vector<NamedValue>& values,
                                         const std::vector<TensorData>& inputs,
                                         const Context& context) {
    FW_TRY(GraphPtr part, partOf(graph, inputsOf(graph), values, BoundDims::Computed));
    FW_TRY(const Rewritten simpler, pipeline.rewritten(part, context));
    FW_TRY(const PlanOptions options, pipeline.planOptions());
    FW_TRY(Apart apart, pipeline.apart(simpler.graph, options, context));
    return apart.module->run(inputs);
}

} // namespace

Result<InnerValues> computeValues(Pipeline& pipeline, const std::vector<std::string>& names,
                                  const std::vector<TensorData>& inputs, const Context& context) {
    FW_TRY(const Imported* imported, pipeline.imported(context));
    FW_TRY(const Simplified* simplified, pipeline.simplified(context));
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    InnerValues out;
    std::vector<NamedValue> first, second; // of the imported graph, of the rewritten one
    std::set<std::string> seen;
    for (const std::string& name : names) {
        if (!seen.insert(name).second)
            continue;
        const std::optional<ValueRef> value = findImported(*imported, name);
        const std::optional<ValueRef> later = findValue(*simplified->graph, name);
        if (!value && !later)
            return makeDiag(DiagCode::UnknownName, "the model has no value or operator " + name,
                            {pipeline.inputs().model}, "fw stages MODEL --stage graph lists them");
        (value ? first : second).push_back({name, value ? *value : *later});
        if (const std::string said =
                whereItWent(*simplified->graph, *plan, name, value.has_value());
            !said.empty())
            out.notices.push_back(said);
    }
    std::map<std::string, TensorData> found;
    for (const auto& [graph, values] :
         {std::pair(imported->inlined, &first), std::pair(simplified->graph, &second)}) {
        if (values->empty())
            continue;
        FW_TRY(const std::vector<TensorData> results,
               computed(pipeline, *graph, *values, inputs, context));
        for (std::size_t i = 0; i < results.size(); ++i)
            found.insert_or_assign((*values)[i].name, results[i]);
    }
    for (const std::string& name : names)
        out.tensors.push_back({name, found.at(name)});
    return out;
}

} // namespace fw
