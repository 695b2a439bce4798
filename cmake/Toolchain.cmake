# Compiler flags, warnings, ccache and lld. Everything here is about this machine, nothing about the product.

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Another checkout finds what this one compiled: paths below the sources count as relative ones.
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()
find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()

# GCC 12 at -O2 calls the inside of a moved std::variant "maybe uninitialized", wrongly.
set(FW_WARNINGS -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                -Wold-style-cast -Wimplicit-fallthrough -Wno-maybe-uninitialized -Wno-restrict)
set(FW_CORE_WARNINGS ${FW_WARNINGS} -Wconversion)

option(FW_UNITY "compile the sources of a folder together, a dozen at a time" OFF)

set(FW_SANITIZER "" CACHE STRING "address, thread, fuzzer (by clang) or empty")
if(FW_SANITIZER STREQUAL "address")
  # The runtime is built without type information, which vptr checks ask for.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
elseif(FW_SANITIZER STREQUAL "thread")
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(FW_SANITIZER STREQUAL "fuzzer")
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
  # The warnings of another compiler are not this build's business.
  add_compile_options(-w)
endif()
