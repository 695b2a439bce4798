// The data sets beside a model, as far as the model is computed. Some of its inputs and results may
// be of kinds that nothing here computes with, and their files of kinds that cannot be read.
#pragma once

#include "ir/graph.h"
#include "onnx/tensor_file.h"
#include "snapshot/protocol.h"

namespace fw {

// The model as it was imported, and the part of it that is computed.
struct ComputedPart {
    const Graph& model;
    const Graph& graph;
};

std::vector<std::string> inputNames(const Graph& graph);
std::vector<std::string> resultNames(const Graph& graph);

// In the order of the graph that is computed. InputMismatch where they do not fit it.
Result<std::vector<TensorData>> givenInputs(const ComputedPart& what, const TestDataSet& set);
Result<std::vector<TensorData>> givenOutputs(const ComputedPart& what, const TestDataSet& set);

// The data sets of the model's folder. Where the user bound dimensions, only those of these shapes:
// the others are not wrong, they are for other sizes.
Result<std::vector<TestDataSet>> dataSetsFor(const ComputedPart& what,
                                             const snapshot::Arguments& arguments);

} // namespace fw
