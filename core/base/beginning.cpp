#include "base/beginning.h"

#include <fmt/format.h>

namespace fw {

std::string beginningOf(std::string_view text, std::size_t longest) {
    if (text.size() <= longest)
        return std::string(text);
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return fmt::format("{}... ({} bytes)", text.substr(0, end), text.size());
}

} // namespace fw
