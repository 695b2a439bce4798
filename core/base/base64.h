// Bytes in lines of text (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fw {

std::string base64Of(std::string_view bytes);
std::optional<std::string> fromBase64(std::string_view text); // nothing: it is none

} // namespace fw
