// What somebody wrote, of any length, in a line of a message.
#pragma once

#include <string>
#include <string_view>

namespace fw {

// The text, or its beginning and how long it is: "[[[[[... (5000 bytes)". Bytes of one
// character of UTF-8 stay together.
std::string beginningOf(std::string_view text, std::size_t longest = 80);

} // namespace fw
