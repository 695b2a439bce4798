// What this program is: two ends of a connection must be the same.
#pragma once

namespace fw {

inline constexpr const char* programVersion = "0.1.0";

} // namespace fw
