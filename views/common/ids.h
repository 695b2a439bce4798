// Ids of boxes and nodes, as views hand them on.
#pragma once

#include <cstdint>
#include <vector>

namespace fw::ui {

using Ids = std::vector<std::int64_t>; // ascending, without doubles

} // namespace fw::ui
