// Kinds of operators as patterns ask for them.
#pragma once

#include "ir/operator.h"

namespace fw {

std::optional<FusionKind> parseKind(std::string_view text); // "elementwise", ...
const std::vector<std::string>& kindNames();                // that text may say
// The kind that `kind k(...)` asks for: that of the operator, or of an operand that reaches the
// result in a harder way, as where the place of an element counts. None if some operand, or every
// one, is not read, as by `shape`: what is true of a kind says nothing of such an operator.
std::optional<FusionKind> patternKind(const Facts& facts);
// Whether an operator of kind `found` counts as `wanted`: maps and movements include what is
// easier; none counts as none.
bool countsAs(std::optional<FusionKind> found, FusionKind wanted);

} // namespace fw
