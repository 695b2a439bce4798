// Free dimensions that a request gives a range (`--dim N=1..64`).
#pragma once

#include "session/pipeline.h"

namespace fw {

// What is planned and run assumes that each dimension, by the name of the model or of the graph, is
// in its range. Refused: a dimension that is not free (UnknownName), one longer than
// largestBoundDim (DimOverflow).
Status assumeRanges(const std::map<std::string, snapshot::SizeRange>& ranges, Imported& imported);

// Refused (InputMismatch): sizes, by the same names, that lie outside of them.
Status checkRanges(const std::map<std::string, snapshot::SizeRange>& ranges,
                   const std::map<std::string, std::int64_t>& sizes);

} // namespace fw
