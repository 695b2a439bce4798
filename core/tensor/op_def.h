// An operator defined by text: the tree of its declaration behind the Operator interface.
//
// Its signature is the shape inference, its statements are its meaning; everything else is derived.
#pragma once

#include "ir/operator.h"
#include "syntax/op.h"

namespace fw {

// Refused if the text contradicts itself: unknown names, an output that no statement writes, ...
// `file` is named in errors.
Result<std::shared_ptr<const Operator>> defineOperator(std::shared_ptr<const OpTree> tree,
                                                       const std::string& file);

} // namespace fw
