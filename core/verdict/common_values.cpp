#include "verdict/common_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fw {

std::vector<CommonValue> commonValues(const Graph& before, const Graph& after) {
    std::map<ValueRef, ValueRef> alike; // from before to after
    for (std::size_t i = 0; i < before.inputs().size(); ++i)
        alike[{before.inputs()[i], 0}] = {after.inputs()[i], 0};
    const auto sameOperands = [&](const Node& one, const Node& other) {
        return std::equal(one.inputs.begin(), one.inputs.end(), other.inputs.begin(),
                          other.inputs.end(), [&](ValueRef a, ValueRef b) {
                              if (!a.valid() || !b.valid())
                                  return a.valid() == b.valid();
                              const Node &from = before.node(a.node), &to = after.node(b.node);
                              if (from.isConstant()) // there may be several of one value
                                  return to.isConstant() && *from.data == *to.data;
                              const auto known = alike.find(a);
                              return known != alike.end() && known->second == b;
                          });
    };
    const auto same = [&](const Node& one, const Node& other) {
        return !other.isLeaf() && one.op == other.op && one.attrs == other.attrs &&
               one.bodies.empty() && other.bodies.empty() &&
               one.outputs.size() == other.outputs.size() && sameOperands(one, other);
    };
    std::vector<CommonValue> out;
    for (const NodePtr& one : before.nodes()) {
        if (one->isLeaf())
            continue;
        const auto found = std::find_if(after.nodes().begin(), after.nodes().end(),
                                        [&](const NodePtr& other) { return same(*one, *other); });
        if (found == after.nodes().end())
            continue;
        for (std::size_t i = 0; i < one->outputs.size(); ++i) {
            const int output = static_cast<int>(i);
            alike[{one->id, output}] = {(*found)->id, output};
            out.push_back({{one->id, output}, {(*found)->id, output}});
        }
    }
    return out;
}

Result<GraphPtr> withInputsFor(const Graph& graph, const std::vector<ValueRef>& values) {
    GraphEditor editor(graph);
    std::map<ValueRef, ValueRef> inputs;
    for (const ValueRef value : values)
        inputs[value] = editor.addInput(fmt::format("common{}", inputs.size()), graph.type(value));
    editor.replaceUses(inputs);
    editor.removeUnused();
    return editor.finish();
}

} // namespace fw
