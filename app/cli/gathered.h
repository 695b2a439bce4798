// What is told of a model, once for all nodes of which it holds.
#pragma once

#include "base/diag.h"

#include <string>
#include <vector>

namespace fw::cli {

// One text for those that differ in their nodes alone, or, where a type is not known, in who reads
// it: the first of them, how many others there are, and the first of these. In the order of the
// first.
std::vector<std::string> gathered(const Diags& diags);

} // namespace fw::cli
