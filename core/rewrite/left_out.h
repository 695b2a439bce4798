// Applications that the user does not want: a rule, and the first operator that it would match.
#pragma once

#include "base/decision.h"
#include "base/result.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fw {

using LeftOut = std::set<std::pair<std::string, std::string>>; // rule, operator

std::string leftOutText(const std::string& rule, const std::string& node); // "soft at Relu_1"
Result<LeftOut> parseLeftOut(const std::vector<std::string>& texts);       // Usage

// Of those that nothing came of by what was decided: a note for each.
Decisions unmet(const LeftOut& leftOut, const Decisions& decided);

} // namespace fw
