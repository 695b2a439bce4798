// Where values that were computed in two ways differ by more than rounding may do.
#pragma once

#include "tensor/bounded.h"

#include <string>

namespace fw {

struct Disagreement {
    std::size_t result = 0; // of the graph
    std::string place;      // "[0, 2]"; empty: it is a single number
    double got = 0, wanted = 0;
    std::string gotText, wantedText;

    // "y[0, 2] is 3 instead of 5"
    std::string text(std::string_view name) const;
};

// "[0, 2]" of an element in row-major order; empty for a single number.
std::string placeText(const Shape& shape, std::size_t element);

struct AgreementOptions {
    double relative = 1e-9; // beside the bounds: doubles are rounded, too
    // Operands are whole numbers: NaN where the other way has a number, as of 0 / 0, is no matter
    // of rounding, although nothing bounds it.
    bool wholeOperands = false;
    bool sharp = false; // both are (BoundedOptions::sharp)
    // Of sharp values: NaN and infinities differ, as where operands hold them; and so do infinities
    // of other signs. Elsewhere, where something is divided by 0, the sign of it or the order of
    // products decides which of them comes out.
    bool noNumbers = false, signs = false;
    bool exactOnly = false; // elements that rounding may move say nothing
    double errors = 1;      // times the bounds
};

// The first one among the results of `graph`, which both lists are values of. Two that are no
// finite numbers agree, where nothing else is asked, and so does what has no bound.
std::optional<Disagreement> disagreementOf(const Graph& graph,
                                           const std::vector<BoundedValues>& got,
                                           const std::vector<BoundedValues>& wanted,
                                           const AgreementOptions& options = {});

} // namespace fw
