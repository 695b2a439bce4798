#include "fuzz/case.h"

#include "expr/simplify.h"
#include "fuzz/evaluate.h"
#include "ir/graph_text.h"

namespace fw::fuzz {

Result<std::vector<TensorData>> operandsOf(const Graph& graph, const Sizes& sizes, Values values) {
    Bindings bindings;
    for (const auto& [name, extent] : sizes)
        bindings.emplace(Symbol(name), extent);
    std::vector<TensorData> out;
    for (const NodeId id : graph.inputs()) {
        const Output& input = graph.node(id).outputs.at(0);
        std::vector<std::int64_t> extents;
        for (const Dim& dim : input.type.shape) {
            const auto extent = evalIndex(dim, bindings);
            if (!extent || *extent < 0)
                return makeDiag(DiagCode::DimUnbound, "an extent of the input is not known",
                                {{}, input.name});
            extents.push_back(*extent);
        }
        const std::uint64_t seed = 1000 + out.size();
        out.push_back(drawn(values, input.type.dtype, std::move(extents), seed));
    }
    return out;
}

Result<GraphPtr> bound(const Graph& graph, const Sizes& sizes) {
    GraphTextOptions options;
    options.constants = constantsOf(graph);
    for (const Symbol& dim : graph.freeDims())
        if (const auto found = sizes.find(dim.text()); found != sizes.end())
            options.dims.insert(*found);
    return parseGraph(printGraph(graph), graph.operatorSet(), options);
}

Status evaluateCase(Case& one) {
    FW_TRY(one.inputs, operandsOf(*one.graph, one.sizes, one.values));
    FW_TRY(Evaluated evaluated, evaluateNodes(*one.graph, one.sizes, one.inputs));
    one.wanted = std::move(evaluated.results);
    one.exact = std::move(evaluated.exact);
    return {};
}

} // namespace fw::fuzz
