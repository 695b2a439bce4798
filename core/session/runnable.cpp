#include "session/runnable.h"

#include "fusion/plan.h"

#include <fmt/format.h>

namespace fw {

namespace {

constexpr std::int64_t largestValue = std::int64_t(1) << 47; // bytes, as whoever plans memory

Diag ofText(const Output& output, const std::string& node) {
    return makeDiag(DiagCode::NotRunnable,
                    fmt::format("{} is text, which no code works with", output.name), {{}, node},
                    "what reads it can be looked at, the model cannot be run");
}

std::optional<Diag> ofSize(const Output& output, const std::string& node) {
    const auto extents = fixedExtents(output.type.shape);
    if (!extents || output.type.dtype == DType::Text)
        return std::nullopt;
    const Result<std::int64_t> count = checkedCount(*extents);
    const auto bytes = static_cast<std::int64_t>(dtypeBytes(output.type.dtype));
    if (count && *count <= largestValue / bytes)
        return std::nullopt;
    return makeDiag(
        DiagCode::DimOverflow,
        fmt::format("{} is too large for any memory: {}", output.name, output.type.text()),
        {{}, node}, "let smaller extents be asked for");
}

} // namespace

Diags reasonsNotToRun(const Graph& graph) {
    Diags out = obstacles(graph);
    for (const NodePtr& node : graph.nodes())
        for (std::size_t i = 0; i < node->outputs.size(); ++i) {
            const Output& output = node->outputs[i];
            if (output.type.dtype == DType::Text &&
                (node->isInput() || graph.isResult({node->id, static_cast<int>(i)})))
                out.push_back(ofText(output, node->name));
            if (auto large = node->isConstant() ? std::nullopt : ofSize(output, node->name))
                out.push_back(std::move(*large));
        }
    return out;
}

} // namespace fw
