// Whether two graphs compute the same, as the reference says: the judge of a rewrite.
#pragma once

#include "base/cancel.h"
#include "ir/graph.h"

namespace fw {

// Evaluates both on `cases` sets of seeded random inputs; free dimensions become 2, 3, ... in the
// order of their names. The first difference as a sentence, empty if there is none: names and types
// of the results too, elements by 1e-5 + 1e-4 of the value. What the reference refuses is an error.
Result<std::string> valueDifference(const Graph& before, const Graph& after, int cases = 3,
                                    const CancelToken& cancel = {});

} // namespace fw
