// Times as people read them: "0.3 µs", "340 µs", "1.23 ms".
#pragma once

#include <string>

namespace fw::snapshot {

std::string timeText(double microseconds);

} // namespace fw::snapshot
