# moc of Qt 6.4 does not parse <concepts>: AUTOMOC_MOC_OPTIONS makes it believe the header was read.

# With FW_UNITY the headers, which are most of what a source costs, are read once for a dozen sources. A name in an unnamed
# namespace is therefore its folder's (tests/policy/test_folder_names.cpp). The names of a source are in sight of the ones behind
# it, which these two warnings take for hidden ones; builds without FW_UNITY have them.
function(fw_unite target)
  if(FW_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    target_compile_options(${target} PRIVATE -Wno-shadow -Wno-subobject-linkage)
  endif()
endfunction()

# One CMake target per folder: `fw_folder(base)` makes the static library fw_base from every .cpp of the folder.
# `views/*` among USES stands for every folder of views/.
# What a folder may include is the list of folders it links; tests/policy reads the includes and holds both together.

function(fw_folder name)
  cmake_parse_arguments(ARG "QT" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.h
       ${CMAKE_CURRENT_SOURCE_DIR}/*.S)
  string(REPLACE "/" "_" target fw_${name})
  add_library(${target} STATIC ${sources})
  set_property(GLOBAL APPEND PROPERTY fw_folders ${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/core ${PROJECT_SOURCE_DIR})
  if("views/*" IN_LIST ARG_USES)
    list(REMOVE_ITEM ARG_USES views/*)
    file(GLOB views CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/views/*/CMakeLists.txt)
    foreach(view IN LISTS views)
      get_filename_component(folder ${view} DIRECTORY)
      list(APPEND ARG_USES ${folder})
    endforeach()
  endif()
  foreach(used IN LISTS ARG_USES)
    string(REPLACE "/" "_" used ${used})
    target_link_libraries(${target} PUBLIC fw_${used})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_LIBRARIES})
  if(ARG_QT)
    set_target_properties(${target} PROPERTIES AUTOMOC ON AUTOMOC_MOC_OPTIONS -D_GLIBCXX_CONCEPTS=1)
    target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${FW_WARNINGS}>)
  else()
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${FW_CORE_WARNINGS}>)
  endif()
  fw_unite(${target})
endfunction()

# Folders whose tests link no more than they use: they ask what a process holds and when it is loaded.
set(FW_SMALL_FOLDERS base runtime syntax target expr)

# Every folder of core/, views/ and app/ as one shared library, `fw_tested`: 250 test programs that each held most of
# them took 14 GB of disk and a link of each after every change of a source.
function(fw_tested)
  get_property(folders GLOBAL PROPERTY fw_folders)
  list(TRANSFORM folders REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  if(TARGET fw_app_window_resources_1) # the pages, which are an object library of their own
    list(APPEND objects $<TARGET_OBJECTS:fw_app_window_resources_1>)
  endif()
  add_library(fw_tested SHARED ${objects})
  set_target_properties(fw_tested PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(fw_tested PUBLIC ${PROJECT_SOURCE_DIR}/core ${PROJECT_SOURCE_DIR})
  target_include_directories(fw_tested SYSTEM PUBLIC ${DNNL_INCLUDE_DIR})
  target_link_options(fw_tested PRIVATE -Wl,-Bsymbolic-functions)
  target_link_libraries(fw_tested PUBLIC fmt::fmt xxhash LLVM onnx_proto protobuf::libprotobuf ${Z3_LIBRARY}
                        nlohmann_json::nlohmann_json Qt6::Widgets $<LINK_ONLY:Qt6::Network> ${CMAKE_DL_LIBS})
  add_dependencies(fw_tested ${folders})
  # What a test reads of others' headers is most of the time that it takes to compile: read once for all that link
  # the library. Qt tells every folder its own name, which would make these headers others in each; nobody asks for it.
  set_property(TARGET Qt6::Test PROPERTY INTERFACE_COMPILE_DEFINITIONS QT_TESTLIB_LIB)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp CONTENT "int main() {}\n")
  add_executable(test_headers EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp)
  fw_test_options(test_headers)
  target_link_libraries(test_headers PRIVATE fw_tested Qt6::Test)
  target_precompile_headers(test_headers PRIVATE <QtTest> <algorithm> <functional> <map> <memory> <optional> <set> <string>
                            <variant> <vector> <fmt/format.h>)
endfunction()

# GCC forgets of precompiled headers that they are the system's and warns of the inside of std::string.
function(fw_test_options target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  # Tests ask the engine to compute and hardly do so themselves: a quarter of the time of compiling for nothing.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>
    "$<$<COMPILE_LANGUAGE:CXX>:${FW_WARNINGS};-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
  target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS FW_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             FW_BINARY_DIR="${PROJECT_BINARY_DIR}")
endfunction()

# `fw_tests(expr)` makes one program of tests/expr, tests/expr_tests, and of each tests/expr/test_*.cpp a test: the test
# expr/test_simplify is `expr_tests test_simplify`. DEPENDS names what the tests start or open.
function(fw_tests folder)
  cmake_parse_arguments(ARG "" "" "USES;LIBRARIES;SOURCES;DEPENDS" ${ARGN})
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test_*.cpp)
  set(target ${folder}_tests)
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/common/program.cpp ${tests} ${ARG_SOURCES})
  set_target_properties(${target} PROPERTIES AUTOMOC ON AUTOMOC_MOC_OPTIONS -D_GLIBCXX_CONCEPTS=1 AUTOGEN_ORIGIN_DEPENDS OFF
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests LINK_DEPENDS_NO_SHARED ON)
  fw_test_options(${target})
  fw_unite(${target})
  if(folder IN_LIST FW_SMALL_FOLDERS)
    list(TRANSFORM ARG_USES PREPEND fw_)
    target_link_libraries(${target} PRIVATE ${ARG_USES})
  else()
    target_link_libraries(${target} PRIVATE fw_tested)
    target_precompile_headers(${target} REUSE_FROM test_headers)
    set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${target}_autogen/mocs_compilation.cpp
                                PROPERTIES SKIP_PRECOMPILE_HEADERS ON) # it is nearly empty
  endif()
  target_link_libraries(${target} PRIVATE Qt6::Test ${ARG_LIBRARIES})
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
  foreach(file IN LISTS tests)
    get_filename_component(name ${file} NAME_WE)
    fw_ctest(${folder}/${name} ${target} ${name})
  endforeach()
endfunction()

# One run of a program of tests.
function(fw_ctest name)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 600
    ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QT_SCALE_FACTOR=1;LC_ALL=C.UTF-8;TZ=UTC;FW_BIN=${PROJECT_BINARY_DIR}/bin;FUSEWRIGHT_MACHINE=${PROJECT_SOURCE_DIR}/tests/common/machine.txt")
endfunction()
