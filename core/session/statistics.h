// A tensor of the model in numbers, for people who look at it.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

snapshot::ValueDocument statisticsOf(const TensorData& data);

// The value that arguments.nodes names ("#12:0": output 0 of node 12, or the name of a value) in
// the graph of arguments.stage, imported or fused. What is no constant is computed, of what a run
// is given (measure.h). It is written to arguments.output, if that is given: .npy, or else .pb.
Result<snapshot::ValueDocument>
describeValue(Pipeline& pipeline, const snapshot::Arguments& arguments, const Context& context);

} // namespace fw
