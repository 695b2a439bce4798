// Folders with a model and data sets: computed by the reference of each operator, without any code
// that is generated, and held against the outputs that another program computed.
#pragma once

#include "library/library.h"
#include "onnx/graph_tools.h"
#include "onnx/model/tensor_file.h"
#include "onnx/read/import.h"

#include <QFile>

#include <cmath>

namespace fw::test {

enum class Compare : std::uint8_t { Exact, Close, Suite, Narrow };

// A unit of the last place: f32 may meet a tie from another side than f64.
inline double unitOf(DType dtype) {
    return dtype == DType::F16 ? 0x1p-10 : dtype == DType::BF16 ? 0x1p-7 : 1e-5;
}

inline std::string difference(const TensorData& got, const TensorData& expected, Compare how) {
    if (got.type() != expected.type())
        return got.type().text() + " instead of " + expected.type().text();
    for (std::size_t i = 0; i < got.count(); ++i) {
        const double a = got.at(i);
        const double b = expected.at(i);
        const double relative = how == Compare::Exact    ? 0
                                : how == Compare::Close  ? 1e-5
                                : how == Compare::Narrow ? unitOf(got.dtype())
                                                         : 1e-3;
        const double bound = how == Compare::Exact ? 0 : 1e-5 + relative * std::fabs(b);
        const bool isStep = how == Compare::Suite && dtypeBytes(got.dtype()) == 1 &&
                            isInteger(got.dtype()); // of a quantized value, rounded once less
        if (!(std::fabs(a - b) <= (isStep ? 1 : bound)) && !(std::isnan(a) && std::isnan(b)) &&
            a != b)
            return fmt::format("element {} is {}, expected {}", i, a, b);
    }
    return {};
}

// NumPy has no bf16: what wrote the data sets of ONNX through it kept the bits as u16.
inline TensorData meant(const TensorData& data, DType wanted) {
    if (data.dtype() != DType::U16 || wanted != DType::BF16)
        return data;
    return {wanted, data.extents(), {data.bytes().begin(), data.bytes().end()}};
}

// Binds the free dimensions of the model by the shapes of its inputs, then imports it again.
inline Result<Imported> importBound(const std::string& bytes,
                                    const std::vector<TensorData>& inputs) {
    FW_TRY(auto first, importModelBytes(bytes, standardOperators()));
    ImportOptions options;
    for (std::size_t i = 0; i < inputs.size() && i < first.graph->inputs().size(); ++i) {
        const Shape& shape = first.graph->node(first.graph->inputs()[i]).outputs[0].type.shape;
        for (std::size_t axis = 0; axis < shape.size() && axis < inputs[i].extents().size(); ++axis)
            if (shape[axis].isVar())
                options.dims[shape[axis].text()] = inputs[i].extents()[axis];
    }
    if (options.dims.empty())
        return first;
    return importModelBytes(bytes, standardOperators(), options);
}

inline std::string bytesOf(const std::string& path) {
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

// Empty: as expected.
inline std::string judgeData(const std::string& bytes, const TestDataSet& set, Compare how) {
    std::vector<NamedTensor> given;
    for (const std::string& path : set.inputs) {
        auto tensor = readTensorFile(path);
        if (!tensor)
            return tensor.diag().text();
        given.push_back(tensor.take());
    }
    auto open = importModelBytes(bytes, standardOperators());
    if (!open)
        return open.diag().text();
    std::vector<std::string> names;
    for (const NodeId id : open->graph->inputs())
        names.push_back(open->graph->node(id).outputs[0].name);
    auto inputs = matchTensors(names, std::move(given));
    if (!inputs)
        return inputs.diag().text();
    for (std::size_t i = 0; i < inputs->size(); ++i)
        (*inputs)[i] = meant((*inputs)[i], open->graph->type({open->graph->inputs()[i], 0}).dtype);
    auto imported = importBound(bytes, *inputs);
    if (!imported)
        return imported.diag().text();
    if (hasErrors(imported->diagnostics))
        return imported->diagnostics.front().text();
    auto results = evaluateBound(*imported->inlined, *inputs);
    if (!results)
        return results.diag().text();
    if (results->size() != set.outputs.size())
        return "another number of results";
    for (std::size_t i = 0; i < results->size(); ++i) {
        auto expected = readTensorFile(set.outputs[i]);
        if (!expected)
            return expected.diag().text();
        if (auto wrong =
                difference((*results)[i], meant(expected->data, (*results)[i].dtype()), how);
            !wrong.empty())
            return imported->graph->results()[i].name + ": " + wrong + listing(*imported->graph);
    }
    return {};
}

} // namespace fw::test
