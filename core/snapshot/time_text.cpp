#include "snapshot/time_text.h"

#include <fmt/format.h>

#include <cmath>

namespace fw::snapshot {

std::string timeText(double microseconds) {
    const double size = std::abs(microseconds);
    if (size < 999.5)
        return fmt::format("{:.{}f} µs", microseconds, size < 99.95 ? 1 : 0);
    const double milliseconds = microseconds / 1000;
    return fmt::format("{:.{}f} ms", milliseconds, size < 9995 ? 2 : size < 99950 ? 1 : 0);
}

} // namespace fw::snapshot
