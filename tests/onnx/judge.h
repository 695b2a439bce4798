// Nodes read, computed by the reference, written, read again and computed again: what is expected
// is said by the test.
#pragma once

#include "onnx/graph_tools.h"
#include "onnx/reading.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace fw::test {

inline TensorData reals(std::vector<std::int64_t> extents, const std::vector<double>& values) {
    return dataFromDoubles(DType::F32, std::move(extents), values);
}

inline std::string resultsOf(const Graph& graph, const std::vector<TensorData>& inputs,
                             const std::vector<std::vector<double>>& wanted) {
    const auto got = evaluateBound(graph, inputs);
    if (!got)
        return got.diag().text();
    if (got->size() != wanted.size())
        return fmt::format("{} results instead of {}", got->size(), wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        const std::vector<double> values = (*got)[k].toDoubles();
        if (values.size() != wanted[k].size())
            return fmt::format("{} elements instead of {}", values.size(), wanted[k].size());
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!(std::fabs(values[i] - wanted[k][i]) <=
                  1e-5 * std::max(1.0, std::fabs(wanted[k][i]))))
                return fmt::format("result {}, element {} is {} instead of {}", k, i, values[i],
                                   wanted[k][i]);
    }
    return {};
}

// Empty: as expected.
inline std::string judgeAll(const ModelBuilder& m, const std::vector<TensorData>& inputs,
                            const std::vector<std::vector<double>>& wanted) {
    const auto read = test::read(m.bytes());
    if (!read)
        return read.diag().text();
    if (hasErrors(read->diagnostics)) // an old opset is warned of
        return read->diagnostics.front().text();
    if (std::string wrong = resultsOf(*read->graph, inputs, wanted); !wrong.empty())
        return wrong;
    const auto again = writtenAndRead(*read->graph);
    if (!again)
        return "written: " + again.diag().text();
    if (const std::string wrong = resultsOf(*again->graph, inputs, wanted); !wrong.empty())
        return "written: " + wrong;
    return {};
}

inline std::string judge(const ModelBuilder& m, const std::vector<TensorData>& inputs,
                         const std::vector<double>& wanted) {
    return judgeAll(m, inputs, {wanted});
}

// Why the node is unknown; empty if it is not.
inline std::string refusal(const ModelBuilder& m) {
    const auto read = test::read(m.bytes());
    if (!read)
        return read.diag().text();
    return hasErrors(read->diagnostics) ? read->diagnostics.front().text() : std::string();
}

inline ModelBuilder contrib(std::int64_t opset = 17) {
    ModelBuilder m(opset);
    auto* entry = m.model.add_opset_import();
    entry->set_domain("com.microsoft");
    entry->set_version(1);
    return m;
}

// Numbers that are no pattern of the extents they are laid out in.
inline std::vector<double> numbers(std::size_t count, int seed) {
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(
            static_cast<double>((i * 7 + i / 5 + static_cast<std::size_t>(seed) * 3) % 11) / 4 -
            1.25);
    return out;
}

} // namespace fw::test
