// Files embedded by embedded.S.
#pragma once

#include <string_view>

namespace fw::module {

std::string_view embeddedArchive(); // libfw_module_runtime.a
std::string_view embeddedHeader();  // fusewright.h
std::string_view embeddedExample(); // example_main.c with @NAME@ for the module's name

} // namespace fw::module
