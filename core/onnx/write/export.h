// Graph -> ONNX, with the same bytes every time.
//
// The normal forms are taken back: a bias that directly follows a convolution or a dense layer
// becomes its operand, attributes become operands where ONNX has them so. Reading the result gives
// an equal graph, up to names of inner values and to operators that opset 17 says in several nodes
// (gelu). "unknown" nodes are written as they were read, with
// their domains. The opset is 17 unless one of those means something else there; then it is the
// nearest in which all mean what they meant, and everything is written in its form. An operator
// of a book is a node of its `onnx` clause, and its text goes into the metadata (operatorsKey); of
// another domain than the standard one, it brings its body along as a function where ONNX can say
// it (function_body.h), so that programs run it which do not know the operator. One without a
// spelling in ONNX and without a clause is refused by name.
#pragma once

#include "base/decision.h"
#include "ir/graph.h"

#include <string>

namespace fw {

struct ExportOptions {
    std::string producer = "fusewright";
    std::string doc;
};

struct ExportedModel {
    std::string bytes; // of a ModelProto
    std::int64_t opset = 0;
    Diags diagnostics;   // warnings: what is no ONNX in the model read, and so in the one written
    Decisions decisions; // which operators brought their bodies along, and why others did not
};

// UnknownOperator or UnsupportedAttribute names the node that cannot be written, FileTooLarge when
// the model would pass 2 GiB.
Result<ExportedModel> exportModel(const Graph& graph, const ExportOptions& options = {});

} // namespace fw
