// Initializers that are inputs of the graph as well: values that a run may replace.
//
// Since IR version 4 an initializer that is listed among the inputs is the default of that input;
// before, all of them had to be listed and none can be replaced. A default that is not given is a
// constant like any other, folded and laid out. One that has a type in ImportOptions::types is an
// input, and its value in the file is not read.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fw {

inline constexpr int firstIrWithDefaults = 4;

// Names only are read, no weights. Empty for what is no model.
std::set<std::string> defaultInputsOf(std::string_view bytes);
std::set<std::string> defaultInputs(const std::string& path); // empty if it cannot be read

} // namespace fw
