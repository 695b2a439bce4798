#include "strategy/layout_wish.h"

#include "strategy/machine.h"
#include "tensor/images.h"

namespace fw {

std::vector<ValueRef> imagesOf(const Graph& graph, const Node& node) {
    std::vector<ValueRef> out;
    for (const ValueRef& input : node.inputs)
        if (input.valid() && isImage(graph.type(input)) && graph.constant(input) == nullptr)
            out.push_back(input);
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        if (isImage(node.outputs[i].type))
            out.push_back({node.id, static_cast<int>(i)});
    return out;
}

LayoutWish wishChannelsLast(const Graph& graph, const Node& node, const Target& target) {
    Facts moved;
    for (const ValueRef& image : imagesOf(graph, node)) {
        const TensorType& type = graph.type(image);
        double bytes = static_cast<double>(dtypeBytes(type.dtype));
        for (const Dim& dim : type.shape)
            bytes *= static_cast<double>(dim.asInt().value_or(1));
        moved.bytesRead += bytes;
        moved.bytesWritten += bytes;
    }
    LayoutWish out;
    out.order = channelsLast(4);
    out.otherwiseUs = rooflineUs(moved, target, 1);
    return out;
}

} // namespace fw
