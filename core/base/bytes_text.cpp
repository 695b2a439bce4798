#include "base/bytes_text.h"

#include <fmt/format.h>

namespace fw {

std::string textOfBytes(double bytes) {
    if (bytes < 1e3)
        return fmt::format("{:.0f} B", bytes);
    if (bytes < 1e6)
        return fmt::format("{:.1f} kB", bytes / 1e3);
    if (bytes < 1e9)
        return fmt::format("{:.1f} MB", bytes / 1e6);
    return fmt::format("{:.2f} GB", bytes / 1e9);
}

} // namespace fw
