// Models that tests build, read with the library, in a line each.
#pragma once

#include "library/library.h"
#include "onnx/model_builder.h"
#include "onnx/read/import.h"
#include "onnx/write/export.h"

namespace fw::test {

inline Result<Imported> read(const std::string& bytes) {
    return importModelBytes(bytes, standardOperators());
}

inline Result<Imported> writtenAndRead(const Graph& graph) {
    FW_TRY(const auto written, exportModel(graph));
    return read(written.bytes);
}

// The operators in order, without inputs and constants: "conv2d bias relu".
inline std::string operatorsOf(const Graph& graph) {
    std::string out;
    for (const NodePtr& node : graph.nodes())
        if (!node->isInput() && !node->isConstant())
            out += (out.empty() ? "" : " ") + node->op;
    return out;
}

inline std::string ops(const ModelBuilder& m) {
    const auto result = read(m.bytes());
    if (!result)
        return result.diag().text();
    if (!result->diagnostics.empty())
        return result->diagnostics.front().text();
    return operatorsOf(*result->graph);
}

} // namespace fw::test
