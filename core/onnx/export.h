// Graph -> ONNX, at one opset (17) and with the same bytes every time.
//
// The normal forms are taken back: a bias that directly follows a convolution or a dense layer
// becomes its operand, attributes become operands where ONNX has them so. Reading the result gives
// an equal graph, up to names of inner values. "unknown" nodes are written as they were read. An
// operator without an ONNX spelling, such as one of the user's own, is refused by name.
#pragma once

#include "ir/graph.h"

#include <string>

namespace fw {

struct ExportOptions {
    std::string producer = "fusewright";
    std::string doc;
};

// The bytes of a ModelProto. UnknownOperator or UnsupportedAttribute names the node that cannot be
// written, FileTooLarge when the model would pass 2 GiB.
Result<std::string> exportModel(const Graph& graph, const ExportOptions& options = {});

} // namespace fw
