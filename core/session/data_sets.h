// The tensors that a run is given, as far as the model is computed. Some of its inputs and results
// may be of kinds that nothing here computes with, and their files of kinds that cannot be read.
#pragma once

#include "onnx/model/tensor_file.h"
#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// The model as it was imported, the part of it that is computed, PipelineInputs::types (an input
// that has a value there is none of the graphs) and the file of the model.
struct ComputedPart {
    const Graph& model;
    const Graph& graph;
    const std::map<std::string, std::string>& types;
    std::string file;
};
// Belongs to the pipeline.
Result<ComputedPart> computedPart(Pipeline& pipeline, const Context& context);

std::vector<std::string> inputNames(const Graph& graph);
std::vector<std::string> resultNames(const Graph& graph);

// Of each file its tensor, or why it cannot be read.
using ReadTensors = std::vector<Result<NamedTensor>>;
ReadTensors readTensors(const std::vector<std::string>& files);

// Of what was read for all the names, by name or else by position, the tensors of `wanted` in its
// order. InputMismatch where they do not fit.
Result<std::vector<TensorData>> tensorsOf(const std::vector<std::string>& wanted,
                                          const std::vector<std::string>& all,
                                          const ReadTensors& read);

// In the order of the graph that is computed. InputMismatch where they do not fit it.
Result<std::vector<TensorData>> givenInputs(const ComputedPart& what, const ReadTensors& read);
Result<std::vector<TensorData>> givenInputs(const ComputedPart& what, const TestDataSet& set);

// What a set says of the results that are computed: of all of them, of some, or of none.
struct Expected {
    std::vector<std::size_t> results; // places among the results of the graph, ascending
    std::vector<TensorData> data;     // of each of them

    bool isWhole(const Graph& graph) const;
    // Which results nothing is said of, as a sentence; for a set that is not whole.
    std::string missing(const Graph& graph, const TestDataSet& set) const;
};
Result<Expected> expectedOf(const ComputedPart& what, const TestDataSet& set);

// Whether a value of these extents may be of this shape.
bool fits(const Shape& shape, const std::vector<std::int64_t>& extents);

// The data sets of the model's folder. Where the user bound dimensions, only those of these shapes:
// the others are not wrong, they are for other sizes.
Result<std::vector<TestDataSet>> dataSetsFor(const ComputedPart& what,
                                             const snapshot::Arguments& arguments);

} // namespace fw
