// What people read of the free dimensions of a program.
#pragma once

#include "runtime/program.h"

#include <string>
#include <vector>

namespace fw::runtime {

// Of the sizes that a step binds, one by its place among them: "element 1 of s".
std::string boundSizeText(const Program& program, const Step& step, std::size_t element,
                          std::int64_t size);

// "; here N is 8, M is 3": the free dimensions of a condition, of those that have a value (-1: not
// yet).
std::string sizesText(const Program& program, const Expression& expression,
                      const std::vector<std::int64_t>& values);

} // namespace fw::runtime
