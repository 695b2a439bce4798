// all(v > 0), any(v == 0): what is asked of every element of constants and of lists.
#pragma once

#include "condition/condition.h"

namespace fw {

bool isOverElements(const Tree& tree);

struct ElementsResult {
    Truth truth = Truth::Unknown;
    bool absent = false; // it speaks of a part that is not there
    std::string note;    // what was seen: "v[3] = -2", "v is no constant"
};
// Those of one element stand for as many as the others have; others must have equally many.
ElementsResult decideElements(const Tree& tree, const Scope& scope);

} // namespace fw
