// Attributes as an operator declares them: their types, and the defaults that they have.
#pragma once

#include "base/diag.h"
#include "ir/attributes.h"
#include "ir/operator.h"
#include "syntax/op.h"

#include <string>

namespace fw {

AttrType typeOf(const AttrParamTree& attr);

// What is wrong with one, at its place in `file`: a list of a type that has none, a length that is
// none, a default of another type or length than the attribute has.
Diags checkAttribute(const AttrParamTree& attr, const std::string& file);

// The value of its default, which it has; nullopt if that is computed.
std::optional<AttrValue> defaultOf(const AttrParamTree& attr);

// "an integer", "a list of numbers, 2 of them"
std::string kindText(const AttrParamTree& attr);

} // namespace fw
