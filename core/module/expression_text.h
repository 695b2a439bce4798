// Sizes of a program as text.
#pragma once

#include "runtime/program.h"

#include <string>

namespace fw::module {

// "n * 2 + 1" with the names of the program's free dimensions.
std::string expressionText(const runtime::Program& program, runtime::ExpressionId expression);
std::string shapeText(const runtime::Program& program, const runtime::Tensor& tensor); // "[n, 3]"

} // namespace fw::module
