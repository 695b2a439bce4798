// Results against the reference.
//
// An exact result must be equal. Any other may differ by a bound that a few roundings explain;
// where it differs by more, the graph is computed again and again with noise of a few units of the
// last place on every value, and the spread of the element in question says how far rounding can
// carry it. Wrong indexing shows all the same: noise does not move one element to the place of
// another.
#pragma once

#include "fuzz/case.h"

namespace fw::fuzz {

struct Differences {
    struct Element {
        std::size_t result = 0, element = 0;
        bool operator==(const Element&) const = default;
    };
    std::string text;            // the first one as a sentence; empty if there is none
    std::vector<Element> places; // of elements that rounding does not explain; none where shapes or
                                 // exact results differ
};

Differences differences(const Case& one, const std::vector<TensorData>& got);
// Its text.
std::string difference(const Case& one, const std::vector<TensorData>& got);

} // namespace fw::fuzz
