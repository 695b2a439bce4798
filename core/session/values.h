// Values inside a model, by name: `fw run --value NAME`.
#pragma once

#include "onnx/model/tensor_file.h"
#include "session/pipeline.h"

namespace fw {

struct InnerValues {
    std::vector<NamedTensor> tensors; // in the order of the names asked for
    std::vector<std::string> notices; // how a value came about that the plan does not keep
};

// A value is named by itself or by the node that makes it (then its first output), in the model as
// it was imported or as the rules left it. The values are computed apart from the model's outputs,
// in a graph that has them as results, so one inside a fused group needs no other plan of the
// model. UnknownName.
Result<InnerValues> computeValues(Pipeline& pipeline, const std::vector<std::string>& names,
                                  const std::vector<TensorData>& inputs, const Context& context);

} // namespace fw
