#pragma once

#include "onnx/read/node_import.h"

namespace fw {

// How many of the calls that `op` stands for round to a narrow type: of several, all but the last
// are not to.
int narrowSteps(const NodeImport& node, const Operator& op, const OpCall& call);

} // namespace fw
