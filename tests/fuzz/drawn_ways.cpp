#include "fuzz/drawn_ways.h"

#include "ir/index_operands.h"
#include "onnx/model/npy.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw::fuzz {

namespace {

std::vector<Edge> edgesOf(const Graph& graph) {
    std::vector<Edge> out;
    for (const NodePtr& node : graph.nodes()) {
        const auto& inputs = node->inputs;
        if (node->isLeaf() || std::any_of(inputs.begin(), inputs.end(),
                                          [](const ValueRef& input) { return !input.valid(); }))
            continue;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (const Node& from = graph.node(inputs[i].node); !from.isLeaf())
                out.push_back({&from, node.get(), i});
    }
    return out;
}

} // namespace

std::vector<Edge> someEdges(const Graph& graph, Random& random, std::size_t most) {
    std::vector<Edge> all = edgesOf(graph), out;
    while (!all.empty() && out.size() < most) {
        const std::size_t at = random.below(all.size());
        out.push_back(all[at]);
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return out;
}

std::string patternOf(const Edge& edge) {
    std::string out = edge.to->op + "(";
    for (std::size_t i = 0; i < edge.to->inputs.size(); ++i)
        out += (i == 0 ? "" : ", ") +
               (i == edge.operand ? edge.from->op + "(...)" : fmt::format("a{}", i));
    return out + ")";
}

bool hasConstantIndexOutside(const Case& with) {
    Bindings sizes;
    for (const auto& [name, extent] : with.sizes)
        sizes.emplace(Symbol(name), extent);
    for (const NodePtr& node : with.graph->nodes()) {
        const Operator* op = with.graph->operators().find(node->op);
        if (node->isLeaf() || op == nullptr)
            continue;
        std::vector<ValueRef> present;
        std::copy_if(node->inputs.begin(), node->inputs.end(), std::back_inserter(present),
                     [](const ValueRef& input) { return input.valid(); });
        for (const IndexOperand& index : indexOperands(*op, callOf(*with.graph, *node))) {
            const Node& from = with.graph->node(present.at(index.operand).node);
            const auto extent = evalIndex(index.extent, sizes);
            if (from.isConstant() && (!extent || firstOutside(*from.data, index, *extent)))
                return true;
        }
    }
    return false;
}

std::optional<std::string> npyOfColumns(const TensorData& data) {
    const Result<std::string> written = npyBytes(data);
    if (!written)
        return std::nullopt;
    std::string out = *written;
    constexpr std::string_view rows = "False, ", columns = "True,  ";
    out.replace(out.find(rows), rows.size(), columns);
    const std::vector<std::int64_t>& extents = data.extents();
    const std::size_t size = dtypeBytes(data.dtype()), count = data.count();
    const std::size_t begin = out.size() - count * size;
    std::vector<std::int64_t> at(extents.size(), 0);
    for (std::size_t to = 0; to < count; ++to) { // the first axis runs fastest
        std::size_t from = 0;
        for (std::size_t d = 0; d < extents.size(); ++d)
            from = from * static_cast<std::size_t>(extents[d]) + static_cast<std::size_t>(at[d]);
        std::copy_n(written->data() + begin + from * size, size, out.data() + begin + to * size);
        for (std::size_t d = 0; d < extents.size() && ++at[d] == extents[d]; ++d)
            at[d] = 0;
    }
    return out;
}

} // namespace fw::fuzz
