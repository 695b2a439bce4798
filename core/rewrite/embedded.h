// Text of resources/library/simplify.fw, part of the program (embedded.S).
#pragma once

#include <string_view>

namespace fw {

std::string_view embeddedSimplify();

} // namespace fw
