// Terms that are computed element by element: min and max of lists, all(v > 0) and any(v == 0) of
// constants and lists.
#pragma once

#include "condition/condition.h"

namespace fw {

bool isOverElements(const Tree& tree);
// min(a, b), max(a, b): arithmetic as that of the signs.
bool isExtremum(const Tree& tree);

struct ElementsResult {
    Truth truth = Truth::Unknown;
    bool absent = false; // it speaks of a part that is not there
    std::string note;    // what was seen: "v[3] = -2", "v is no constant"
};
// Those of one element stand for as many as the others have; others must have equally many.
ElementsResult decideElements(const Tree& tree, const Scope& scope);

} // namespace fw
