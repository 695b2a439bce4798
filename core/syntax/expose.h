// The parts of a match that an `expose` clause names.
#pragma once

#include "syntax/rule.h"

namespace fw {

// Behind the word `expose`. A part that is there already is refused at its place.
void parseExposed(Parser& parser, std::vector<RuleTree::Exposed>& parts);

} // namespace fw
