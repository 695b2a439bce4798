#include "module/export_cmake.h"

#include "runtime/cpu.h"

#include <filesystem>
#include <fmt/format.h>

namespace fw::module {

namespace {

// Between the quotes of a CMake argument, whatever a file is called.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\' || c == '$')
            out += '\\';
        out += c;
    }
    return out;
}

} // namespace

std::string configText(const ExportRequest& request) {
    std::vector<std::string> files{request.library()};
    if (!request.embedsWeights)
        files.push_back(request.weightsFile());
    for (const std::string& library : request.userLibraries)
        files.push_back(std::filesystem::path(library).filename().string());
    for (const char* end : {".h", "Config.cmake", "ConfigVersion.cmake"})
        files.push_back(request.name + end);
    std::string text = fmt::format(
        R"(# find_package({0}) gives the target {0}::{0}, and {0}_install for what has to lie where it is installed.
if("${{CMAKE_CURRENT_LIST_DIR}}" MATCHES ";")
  set({0}_FOUND FALSE)
  set({0}_NOT_FOUND_MESSAGE "CMake links nothing from a folder with a semicolon in its name: move ${{CMAKE_CURRENT_LIST_DIR}}")
  return()
endif()
if(NOT TARGET {0}::{0})
  add_library({0}::{0} {1} IMPORTED)
  set_target_properties({0}::{0} PROPERTIES
    IMPORTED_LOCATION "${{CMAKE_CURRENT_LIST_DIR}}/{2}"
    {3}
    INTERFACE_INCLUDE_DIRECTORIES "${{CMAKE_CURRENT_LIST_DIR}}")
endif()
)",
        request.name, request.isStatic ? "STATIC" : "SHARED", request.library(),
        request.isStatic ? std::string("INTERFACE_LINK_LIBRARIES m")
                         : fmt::format("IMPORTED_SONAME \"{}\"", request.library()));
    if (!request.embedsWeights)
        text += fmt::format("set({}_WEIGHTS \"${{CMAKE_CURRENT_LIST_DIR}}/{}\")\n", request.name,
                            request.weightsFile());
    text += fmt::format(R"(set({0}_DIR_OF_FILES "${{CMAKE_CURRENT_LIST_DIR}}")
# {0}_install(FOLDER): the library with all that it opens, its header and this package, as one folder that
# find_package({0}) finds there: lib/{0} below CMAKE_INSTALL_PREFIX if none is named.
function({0}_install)
  set(folder "lib/{0}")
  if(ARGC GREATER 0)
    set(folder "${{ARGV0}}")
  endif()
)",
                        request.name);
    for (const std::string& file : files)
        text += fmt::format("  install(FILES \"${{{0}_DIR_OF_FILES}}/{1}\" DESTINATION "
                            "\"${{folder}}\")\n",
                            request.name, escaped(file));
    return text + "endfunction()\n";
}

std::string configVersionText() {
    return fmt::format(
        R"(# The version is that of the C interface (FW_ABI_VERSION): programs of the same one fit.
set(PACKAGE_VERSION "{0}.0")
if(PACKAGE_FIND_VERSION_MAJOR STREQUAL "{0}" OR NOT PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
)",
        FW_ABI_VERSION);
}

std::string listsText(const ExportRequest& request) {
    return fmt::format(
        R"(# Builds the example program of the exported model {0}; `cmake --install` puts it and the module where they run.
cmake_minimum_required(VERSION 3.16)
project({0}_example LANGUAGES C)
set(CMAKE_C_STANDARD 99)
find_package({0} REQUIRED CONFIG PATHS "${{CMAKE_CURRENT_LIST_DIR}}" NO_DEFAULT_PATH)
add_executable(example example_main.c)
target_link_libraries(example PRIVATE {0}::{0})
set_target_properties(example PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/{0}")
install(TARGETS example DESTINATION bin)
{0}_install()
)",
        request.name);
}

} // namespace fw::module
