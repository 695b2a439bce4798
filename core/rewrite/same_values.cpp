#include "rewrite/same_values.h"

#include "base/numbers.h"
#include "expr/simplify.h"
#include "ir/tensor_text.h"
#include "tensor/evaluate_graph.h"

#include <fmt/format.h>

#include <cmath>

namespace fw {

namespace {

// Real numbers within what rounding may do; infinities, NaN and integers are as they are.
bool sameElement(const TensorData& a, const TensorData& b, std::size_t k) {
    if (!isFloat(a.dtype()))
        return a.integerAt(k) == b.integerAt(k);
    const double x = a.at(k), y = b.at(k);
    if (!std::isfinite(x) || !std::isfinite(y))
        return x == y || (std::isnan(x) && std::isnan(y));
    return std::fabs(x - y) <= 1e-5 + 1e-4 * std::fabs(x);
}

std::string resultDifference(const NamedValue& name, const TensorData& a, const TensorData& b) {
    if (!(a.type() == b.type()))
        return fmt::format("{} was {} and became {}", name.name, a.type().text(), b.type().text());
    const auto text = [](const TensorData& data, std::size_t k) {
        return data.dtype() == DType::U64
                   ? std::to_string(static_cast<std::uint64_t>(data.integerAt(k)))
               : isInteger(data.dtype()) ? std::to_string(data.integerAt(k))
                                         : numberText(data.at(k), data.dtype());
    };
    for (std::size_t k = 0; k < a.count(); ++k)
        if (!sameElement(a, b, k))
            return fmt::format("element {} of {} was {} and became {}", k, name.name, text(a, k),
                               text(b, k));
    return {};
}

} // namespace

Result<std::string> valueDifference(const Graph& before, const Graph& after, int cases,
                                    const CancelToken& cancel) {
    if (before.results().size() != after.results().size())
        return std::string("another number of results");
    for (std::size_t i = 0; i < before.results().size(); ++i)
        if (before.results()[i].name != after.results()[i].name)
            return fmt::format("result {} became {}", before.results()[i].name,
                               after.results()[i].name);
    Substitution dims;
    std::int64_t next = 2;
    for (const Symbol& dim : before.freeDims())
        dims.emplace(dim, intExpr(next++));
    for (int seed = 1; seed <= cases; ++seed) {
        std::vector<TensorData> inputs;
        for (const NodeId id : before.inputs()) {
            const TensorType& type = before.node(id).outputs[0].type;
            if (type.dtype == DType::Text)
                return makeDiag(DiagCode::NotRunnable,
                                before.node(id).outputs[0].name +
                                    " is text, which nothing computes",
                                {{}, before.node(id).name}, "give it another element type");
            std::vector<std::int64_t> extents;
            for (const Dim& dim : type.shape) {
                const auto extent = substitute(dim, dims).asInt();
                if (!extent)
                    return makeDiag(DiagCode::DimUnbound, "an extent of the inputs is not known",
                                    {{}, before.node(id).name});
                extents.push_back(*extent);
            }
            inputs.push_back(randomData(type.dtype, std::move(extents),
                                        static_cast<std::uint64_t>(seed) * 100 + inputs.size()));
        }
        FW_TRY(const std::vector<TensorData> left, evaluateGraph(before, inputs, cancel));
        FW_TRY(const std::vector<TensorData> right, evaluateGraph(after, inputs, cancel));
        for (std::size_t i = 0; i < left.size(); ++i)
            if (std::string said = resultDifference(before.results()[i], left[i], right[i]);
                !said.empty())
                return said;
    }
    return std::string();
}

} // namespace fw
