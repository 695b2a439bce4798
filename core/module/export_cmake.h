// What CMake reads of an exported module.
#pragma once

#include "module/export.h"

namespace fw::module {

std::string configText(const ExportRequest& request); // NAMEConfig.cmake
std::string configVersionText();                      // NAMEConfigVersion.cmake
std::string listsText(const ExportRequest& request);  // CMakeLists.txt

} // namespace fw::module
