// The `onnx` clauses of an operator's text: which nodes of a model it is.
#pragma once

#include "ir/operator.h"
#include "syntax/op.h"

namespace fw {

std::vector<OnnxBinding> onnxBindings(const std::vector<OnnxTree>& clauses,
                                      const std::string& file);

// What a clause says wrongly: an attribute that the operator does not have, opsets that there are
// not, the same nodes as another clause.
Diags checkOnnxClauses(const OpTree& op, const std::string& file);

} // namespace fw
