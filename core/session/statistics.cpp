#include "session/statistics.h"

#include "base/numbers.h"
#include "ir/tensor_text.h"
#include "session/measure.h"
#include "session/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

using snapshot::ValueDocument;

namespace {

constexpr std::size_t bins = 24;
constexpr std::size_t shownElements = 64;

std::string shownElement(const TensorData& data, std::size_t index) {
    if (data.dtype() == DType::Bool)
        return data.integerAt(index) != 0 ? "true" : "false";
    return elementText(data, index);
}

// "#12:1"
std::optional<ValueRef> referenceIn(const std::string& text) {
    if (text.size() < 2 || text[0] != '#')
        return std::nullopt;
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto node = parseInteger(std::string_view(text).substr(1, colon - 1));
    const auto output = colon == text.size()
                            ? std::optional<std::int64_t>(0)
                            : parseInteger(std::string_view(text).substr(colon + 1));
    if (!node || !output || *output < 0 || *output > 1000)
        return std::nullopt;
    return ValueRef{*node, static_cast<int>(*output)};
}

Result<ValueRef> valueNamed(const Graph& graph, const std::string& name) {
    const Diag missing = makeDiag(DiagCode::UnknownName, "there is no value named " + name, {},
                                  "name a value, or a node as #ID:OUTPUT");
    if (const std::optional<ValueRef> reference = referenceIn(name)) {
        const Node* node = graph.find(reference->node);
        if (node == nullptr || static_cast<std::size_t>(reference->output) >= node->outputs.size())
            return missing;
        return *reference;
    }
    for (const NodePtr& node : graph.nodes())
        for (std::size_t i = 0; i < node->outputs.size(); ++i)
            if (node->outputs[i].name == name)
                return ValueRef{node->id, static_cast<int>(i)};
    return missing;
}

} // namespace

ValueDocument statisticsOf(const TensorData& data) {
    ValueDocument out;
    out.type = data.type().text();
    out.count = static_cast<std::int64_t>(data.count());
    double least = 0, most = 0, sum = 0;
    std::int64_t finite = 0;
    for (std::size_t i = 0; i < data.count(); ++i) {
        const double value = data.at(i);
        out.zeros += value == 0 ? 1 : 0;
        if (std::isnan(value)) {
            ++out.notNumbers;
        } else if (std::isinf(value)) {
            ++out.infinite;
        } else {
            least = finite == 0 ? value : std::min(least, value);
            most = finite == 0 ? value : std::max(most, value);
            sum += value;
            ++finite;
        }
    }
    if (finite > 0) {
        const double mean = sum / static_cast<double>(finite);
        double squares = 0;
        if (most > least)
            out.histogram.assign(bins, 0);
        for (std::size_t i = 0; i < data.count(); ++i) {
            const double value = data.at(i);
            if (!std::isfinite(value))
                continue;
            squares += (value - mean) * (value - mean);
            if (most > least) {
                // Halves first: the span of the largest numbers is no number.
                const double part = (value / 2 - least / 2) / (most / 2 - least / 2);
                ++out.histogram[std::min(static_cast<std::size_t>(part * bins), bins - 1)];
            }
        }
        out.least = least;
        out.most = most;
        out.mean = mean;
        out.deviation = std::sqrt(squares / static_cast<double>(finite));
    }
    for (std::size_t i = 0; i < std::min(data.count(), shownElements); ++i)
        out.first.push_back(shownElement(data, i));
    return out;
}

Result<ValueDocument> describeValue(Pipeline& pipeline, const snapshot::Arguments& arguments,
                                    const Context& context) {
    if (arguments.nodes.size() != 1)
        return makeDiag(DiagCode::Usage, "value takes one node or value");
    FW_TRY(const Imported* imported, pipeline.imported(context));
    const Graph* graph = imported->graph.get();
    if (arguments.stage == "fused" || arguments.stage == "rewritten") {
        FW_TRY(const Simplified* simplified, pipeline.simplified(context));
        graph = simplified->graph.get();
    }
    FW_TRY(const ValueRef value, valueNamed(*graph, arguments.nodes.front()));
    const Output& output = graph->output(value);
    const TensorData* data = graph->constant(value);
    std::string origin = "constant";
    InnerValues inner;
    if (data == nullptr) {
        FW_TRY(LoadedModule * module, pipeline.loaded(context));
        FW_TRY(const Operands operands, operandsFor(pipeline, *module, arguments, context));
        FW_TRY(inner, computeValues(pipeline, {output.name}, operands.inputs, context));
        data = &inner.tensors.front().data;
        origin = operands.random ? "computed of random inputs" : "computed of the model's data";
    }
    ValueDocument out = statisticsOf(*data);
    out.name = output.name;
    out.origin = origin;
    out.node = value.node;
    out.output = value.output;
    if (!arguments.output.empty()) {
        FW_CHECK(writeTensorFile(arguments.output, {output.name, *data}));
        out.file = arguments.output;
    }
    return out;
}

} // namespace fw
