#include "verdict/with_values.h"

#include "ir/graph_text.h"

#include <limits>
#include <map>

namespace fw {

std::string withValues(const Graph& graph, const std::vector<TensorData>& inputs) {
    GraphEditor editor(graph);
    std::map<ValueRef, ValueRef> constants;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
        const Output& output = graph.node(graph.inputs()[i]).outputs[0];
        constants[{graph.inputs()[i], 0}] =
            editor.addConstant(output.name + "_value", inputs.at(i));
    }
    editor.replaceUses(constants);
    for (const NodeId id : graph.inputs())
        editor.remove(id);
    const Result<GraphPtr> out = editor.finish();
    return out ? printGraph(**out, std::numeric_limits<std::size_t>::max()) : out.diag().message;
}

} // namespace fw
