// The text of a loop nest (print.h) back to its value: one statement per line, as printed.
#pragma once

#include "loop/loop.h"

#include <string_view>

namespace fw {

Result<LoopNest> parseLoops(std::string_view text); // Syntax, TextName or TextType with the line

} // namespace fw
