// The blocks that names of nodes speak of.
#pragma once

#include <string_view>
#include <vector>

namespace fw::snapshot {

// "layers", "0", "attn" of "/layers.0/attn/MatMul": all but the last part of a name.
std::vector<std::string_view> scopePartsOf(std::string_view name);

} // namespace fw::snapshot
