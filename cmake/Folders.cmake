# moc of Qt 6.4 does not parse <concepts>: AUTOMOC_MOC_OPTIONS makes it believe the header was read.

# One CMake target per folder: `fw_folder(base)` makes the static library fw_base from every .cpp of the folder.
# `views/*` among USES stands for every folder of views/.
# What a folder may include is the list of folders it links; tests/policy reads the includes and holds both together.

function(fw_folder name)
  cmake_parse_arguments(ARG "QT" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.h
       ${CMAKE_CURRENT_SOURCE_DIR}/*.S)
  string(REPLACE "/" "_" target fw_${name})
  add_library(${target} STATIC ${sources})
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
endfunction()

# `fw_test(expr/test_simplify USES expr)` builds tests/expr/test_simplify.cpp as one Qt Test program.
function(fw_test path)
  cmake_parse_arguments(ARG "DISPLAY" "" "USES;LIBRARIES;LABELS;SOURCES" ${ARGN})
  string(REPLACE "/" "_" target ${path})
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${path}.cpp ${ARG_SOURCES})
  set_target_properties(${target} PROPERTIES AUTOMOC ON AUTOMOC_MOC_OPTIONS -D_GLIBCXX_CONCEPTS=1 RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${FW_WARNINGS}>)
  target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS FW_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             FW_BINARY_DIR="${PROJECT_BINARY_DIR}")
  foreach(used IN LISTS ARG_USES)
    string(REPLACE "/" "_" used ${used})
    target_link_libraries(${target} PRIVATE fw_${used})
  endforeach()
  target_link_libraries(${target} PRIVATE Qt6::Test ${ARG_LIBRARIES})
  add_test(NAME ${path} COMMAND ${target})
  if(NOT ARG_LABELS)
    set(ARG_LABELS fast)
  endif()
  set_tests_properties(${path} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600
    ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QT_SCALE_FACTOR=1;LC_ALL=C.UTF-8;TZ=UTC;FW_BIN=${PROJECT_BINARY_DIR}/bin;FUSEWRIGHT_MACHINE=${PROJECT_SOURCE_DIR}/tests/common/machine.txt")
endfunction()
