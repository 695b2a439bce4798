// Attributes as their operator declares them.
#pragma once

#include "ir/operator.h"

namespace fw {

// An integer that is written for a real attribute becomes that real, so one value is one node.
void typeReals(Attrs& attrs, const Operator& op);

// How many elements a list attribute has, as the operator's signature says ("attr strides:
// int[2]"); nullopt if there may be any number, and for what is no list.
std::optional<std::int64_t> lengthOf(const Operator& op, std::string_view attr);

} // namespace fw
