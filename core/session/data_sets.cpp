#include "session/data_sets.h"

#include "ir/missing_type.h"
#include "onnx/model/default_inputs.h"
#include "onnx/model/given_value.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace fw {

Result<ComputedPart> computedPart(Pipeline& pipeline, const Context& context) {
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    FW_TRY(const Imported* imported, pipeline.imported(context));
    return ComputedPart{*imported->inlined, *source->graph, pipeline.inputs().types,
                        pipeline.modelFile()};
}

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

ReadTensors readTensors(const std::vector<std::string>& files) {
    ReadTensors out;
    for (const std::string& file : files)
        out.push_back(readTensorFile(file));
    return out;
}

Result<std::vector<TensorData>> tensorsOf(const std::vector<std::string>& wanted,
                                          const std::vector<std::string>& all,
                                          const ReadTensors& read) {
    const auto isIn = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<NamedTensor> taken;
    for (std::size_t i = 0; i < read.size(); ++i) {
        if (wanted.size() != all.size()) {
            const std::string name = read[i] && isIn(all, read[i]->name) ? read[i]->name
                                     : i < all.size()                    ? all[i]
                                                                         : std::string();
            if (!name.empty() && !isIn(wanted, name))
                continue;
            if (read[i]) {
                taken.push_back({name, read[i]->data});
                continue;
            }
        }
        if (!read[i])
            return read[i].diag();
        taken.push_back(*read[i]);
    }
    return matchTensors(wanted, std::move(taken));
}

namespace {

// NumPy has no bf16: what wrote the data sets of ONNX through it kept the bits as u16.
TensorData asElement(TensorData data, DType wanted) {
    if (data.dtype() != DType::U16 || wanted != DType::BF16)
        return data;
    return {wanted, data.extents(), {data.bytes().begin(), data.bytes().end()}};
}

// Of a weight of the model that is among them, why it is no input.
Diag withReason(Diag diag, const std::string& file, const std::vector<std::string>& inputs,
                const ReadTensors& read) {
    for (const Result<NamedTensor>& tensor : read) {
        if (!tensor || std::find(inputs.begin(), inputs.end(), tensor->name) != inputs.end())
            continue;
        const std::string why = whyNotGiven(file, tensor->name, tensor->data.type());
        if (!why.empty())
            diag.message += ": " + why;
    }
    return diag;
}

} // namespace

Result<std::vector<TensorData>> givenInputs(const ComputedPart& what, const ReadTensors& read) {
    ReadTensors left = read;
    std::erase_if(left, [&](const Result<NamedTensor>& tensor) {
        const auto entry = tensor ? what.types.find(tensor->name) : what.types.end();
        return entry != what.types.end() && givenValue(entry->second);
    });
    std::vector<std::string> all;
    for (const NodeId id : modelInputs(what.model))
        all.push_back(what.model.node(id).outputs.at(0).name);
    const Graph& graph = what.graph;
    auto taken = tensorsOf(inputNames(graph), all, left);
    if (!taken)
        return withReason(taken.takeDiag(), what.file, all, left);
    std::vector<TensorData> inputs = taken.take();
    for (std::size_t i = 0; i < inputs.size(); ++i)
        inputs[i] =
            asElement(std::move(inputs[i]), graph.node(graph.inputs()[i]).outputs[0].type.dtype);
    return inputs;
}

Result<std::vector<TensorData>> givenInputs(const ComputedPart& what, const TestDataSet& set) {
    const std::string name = std::filesystem::path(set.folder).filename().string();
    const std::vector<std::string> wanted = inputNames(what.graph);
    if (set.inputs.empty() && !wanted.empty())
        return makeDiag(DiagCode::InputMismatch,
                        fmt::format("{} holds no inputs, and the model reads {}", name,
                                    fmt::join(wanted, ", ")),
                        {set.folder}, "input_0.pb or input_0.npy is the first, and so on");
    auto inputs = givenInputs(what, readTensors(set.inputs));
    if (!inputs)
        return inputs.takeDiag().at({set.folder});
    return inputs;
}

bool Expected::isWhole(const Graph& graph) const {
    return results.size() == graph.results().size();
}

std::string Expected::missing(const Graph& graph, const TestDataSet& set) const {
    const std::string name = std::filesystem::path(set.folder).filename().string();
    if (results.empty() && set.inputs.empty() && !graph.inputs().empty())
        return fmt::format("{} holds neither inputs nor outputs", name);
    if (results.empty())
        return fmt::format("{} holds no outputs: there is nothing to compare with", name);
    std::string without;
    for (std::size_t i = 0; i < graph.results().size(); ++i)
        if (std::find(results.begin(), results.end(), i) == results.end())
            without += (without.empty() ? "" : ", ") + graph.results()[i].name;
    return fmt::format("{} holds {} of {} outputs: {} {} not compared", name, results.size(),
                       graph.results().size(), without,
                       results.size() + 1 == graph.results().size() ? "is" : "are");
}

Result<Expected> expectedOf(const ComputedPart& what, const TestDataSet& set) {
    const ReadTensors read = readTensors(set.outputs);
    const std::vector<std::string> all = resultNames(what.model);
    const auto isNamed = [&](const Result<NamedTensor>& tensor) {
        return tensor && std::find(all.begin(), all.end(), tensor->name) != all.end();
    };
    // Files whose names are those of results are these, the others go by position.
    const auto isGiven = [&](std::size_t result) {
        return read.size() >= all.size() || (result < read.size() && !isNamed(read[result])) ||
               std::any_of(read.begin(), read.end(), [&](const Result<NamedTensor>& one) {
                   return one && one->name == all[result];
               });
    };
    Expected out;
    std::vector<std::string> names; // of those that are given, in the order of the results
    const Graph& graph = what.graph;
    for (std::size_t i = 0; i < graph.results().size(); ++i) {
        const std::string& name = graph.results()[i].name;
        const auto place = std::find(all.begin(), all.end(), name);
        if (place != all.end() && isGiven(static_cast<std::size_t>(place - all.begin()))) {
            out.results.push_back(i);
            names.push_back(name);
        }
    }
    FW_TRY(out.data, tensorsOf(names, all, read));
    for (std::size_t i = 0; i < out.data.size(); ++i)
        out.data[i] = asElement(std::move(out.data[i]),
                                graph.type(graph.results()[out.results[i]].value).dtype);
    return out;
}

bool fits(const Shape& shape, const std::vector<std::int64_t>& extents) {
    bool out = shape.size() == extents.size();
    for (std::size_t i = 0; out && i < shape.size(); ++i)
        out = shape[i].asInt().value_or(extents[i]) == extents[i];
    return out;
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
        bool all = true;
        for (std::size_t i = 0; i < matched.size(); ++i)
            all = all &&
                  fits(graph.node(graph.inputs()[i]).outputs[0].type.shape, matched[i].extents());
        if (all)
            fitting.push_back(std::move(set));
    }
    return fitting;
}

} // namespace fw
