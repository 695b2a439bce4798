// Whether the elements by which a step picks lie inside of the axis that they count.
#pragma once

#include "runtime/program.h"

namespace fw::runtime {

// FW_BAD_INDEX with the node, the element and its value. `data`: the tensor's, of `bytes` bytes.
// An axis without elements has no index outside: what asks for one is refused by its shapes.
Status checkInside(const IndexUse& use, const Tensor& tensor, const void* data, std::int64_t bytes,
                   std::int64_t extent);

} // namespace fw::runtime
