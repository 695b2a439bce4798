#include "session/data_sets.h"

#include "ir/missing_type.h"

#include <algorithm>

namespace fw {

std::vector<std::string> inputNames(const Graph& graph) {
    std::vector<std::string> out;
    for (const NodeId id : graph.inputs())
        out.push_back(graph.node(id).outputs.at(0).name);
    return out;
}

std::vector<std::string> resultNames(const Graph& graph) {
    std::vector<std::string> out;
    for (const NamedValue& result : graph.results())
        out.push_back(result.name);
    return out;
}

namespace {

Result<std::vector<NamedTensor>> readAll(const std::vector<std::string>& files) {
    std::vector<NamedTensor> out;
    for (const std::string& file : files) {
        FW_TRY(NamedTensor tensor, readTensorFile(file));
        out.push_back(std::move(tensor));
    }
    return out;
}

// NumPy has no bf16: what wrote the data sets of ONNX through it kept the bits as u16.
TensorData asElement(TensorData data, DType wanted) {
    if (data.dtype() != DType::U16 || wanted != DType::BF16)
        return data;
    return {wanted, data.extents(), {data.bytes().begin(), data.bytes().end()}};
}

// Of the files for all that the model has, in its order, the tensors of what is computed with. The
// others may be of kinds that cannot be read.
Result<std::vector<TensorData>> tensorsFor(const std::vector<std::string>& computed,
                                           const std::vector<std::string>& all,
                                           const std::vector<std::string>& files) {
    const auto isIn = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (computed.size() == all.size()) {
        FW_TRY(std::vector<NamedTensor> given, readAll(files));
        return matchTensors(computed, std::move(given));
    }
    std::vector<NamedTensor> taken;
    for (std::size_t i = 0; i < files.size(); ++i) {
        Result<NamedTensor> tensor = readTensorFile(files[i]);
        const std::string name = tensor && isIn(all, tensor->name) ? tensor->name
                                 : i < all.size()                  ? all[i]
                                                                   : std::string();
        if (!name.empty() && !isIn(computed, name))
            continue;
        if (!tensor)
            return tensor.takeDiag();
        tensor->name = name;
        taken.push_back(tensor.take());
    }
    return matchTensors(computed, std::move(taken));
}

} // namespace

Result<std::vector<TensorData>> givenInputs(const ComputedPart& what, const TestDataSet& set) {
    const Graph& graph = what.graph;
    std::vector<std::string> all;
    for (const NodeId id : modelInputs(what.model))
        all.push_back(what.model.node(id).outputs.at(0).name);
    FW_TRY(std::vector<TensorData> inputs, tensorsFor(inputNames(graph), all, set.inputs));
    for (std::size_t i = 0; i < inputs.size(); ++i)
        inputs[i] =
            asElement(std::move(inputs[i]), graph.node(graph.inputs()[i]).outputs[0].type.dtype);
    return inputs;
}

Result<std::vector<TensorData>> givenOutputs(const ComputedPart& what, const TestDataSet& set) {
    const Graph& graph = what.graph;
    FW_TRY(std::vector<TensorData> wanted,
           tensorsFor(resultNames(graph), resultNames(what.model), set.outputs));
    for (std::size_t i = 0; i < wanted.size(); ++i)
        wanted[i] = asElement(std::move(wanted[i]), graph.type(graph.results()[i].value).dtype);
    return wanted;
}

Result<std::vector<TestDataSet>> dataSetsFor(const ComputedPart& what,
                                             const snapshot::Arguments& arguments) {
    const Graph& graph = what.graph;
    if (!isTestFolder(arguments.model))
        return std::vector<TestDataSet>();
    FW_TRY(TestFolder folder, findTestData(arguments.model));
    if (arguments.dims.empty())
        return std::move(folder.sets);
    std::vector<TestDataSet> fitting;
    for (TestDataSet& set : folder.sets) {
        FW_TRY(const std::vector<TensorData> matched, givenInputs(what, set));
        bool fits = true;
        for (std::size_t i = 0; i < matched.size(); ++i) {
            const Shape& shape = graph.node(graph.inputs()[i]).outputs[0].type.shape;
            fits = fits && shape.size() == matched[i].extents().size();
            for (std::size_t d = 0; fits && d < shape.size(); ++d)
                fits =
                    shape[d].asInt().value_or(matched[i].extents()[d]) == matched[i].extents()[d];
        }
        if (fits)
            fitting.push_back(std::move(set));
    }
    return fitting;
}

} // namespace fw
