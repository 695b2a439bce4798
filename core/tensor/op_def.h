// An operator defined by text: the tree of its declaration behind the Operator interface.
//
// Its signature is the shape inference, its statements are its meaning; everything else is derived.
#pragma once

#include "ir/operator.h"
#include "syntax/op.h"

namespace fw {

// What the declaration says wrongly as it stands, whatever the call: names used twice or unknown,
// an output that no statement writes, ... Cheap; checkOperator() tries the statements as well.
Diags checkDefinition(const OpTree& op, const std::string& file);

// Of a text in which checkDefinition() finds nothing wrong.
std::shared_ptr<const Operator> operatorOf(std::shared_ptr<const OpTree> tree,
                                           const std::string& file);
// Refused if the text contradicts itself, with the first error of checkDefinition().
Result<std::shared_ptr<const Operator>> defineOperator(std::shared_ptr<const OpTree> tree,
                                                       const std::string& file);

} // namespace fw
