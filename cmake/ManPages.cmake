# Manual pages out of what the programs say of themselves: cmake -D PROGRAMS=folder -D OUT=folder -P ManPages.cmake
# writes fusewright(1), fw(1) and a page for each command of fw, as `fw help --json` lists them, compressed as Debian
# wants it. Without help2man there are none.

find_program(HELP2MAN help2man)
if(NOT HELP2MAN)
  message(STATUS "help2man is not installed: no manual pages")
  return()
endif()
set(sections ${OUT}/sections)
set(ENV{PATH} "${PROGRAMS}:$ENV{PATH}")
set(ENV{QT_QPA_PLATFORM} offscreen)
set(ENV{LC_ALL} C.UTF-8)

# The page of `command`, whose name may hold no blank: fw-run(1) is that of `fw run`.
function(fw_page command about)
  string(REPLACE " " "-" name ${command})
  list(TRANSFORM ARGN REPLACE "(.+)" ".BR \\1 (1)" OUTPUT_VARIABLE others)
  list(JOIN others ",\n" others)
  file(WRITE ${sections} "[NAME]\n${name} \\- ${about}\n[SEE ALSO]\n${others}\n")
  execute_process(COMMAND ${HELP2MAN} --no-info --version-string=${version} --include=${sections}
                          --output=${OUT}/${name}.1 ${command} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND gzip -9nf ${OUT}/${name}.1 COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(MAKE_DIRECTORY ${OUT})
execute_process(COMMAND fw --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "^fw " "" version ${version})
execute_process(COMMAND fw help --json OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)

set(commands)
string(JSON last LENGTH "${help}" commands)
math(EXPR last "${last} - 1")
foreach(i RANGE ${last})
  string(JSON name GET "${help}" commands ${i} name)
  string(JSON about GET "${help}" commands ${i} about)
  fw_page("fw ${name}" "${about}" fw fusewright)
  list(APPEND commands fw-${name})
endforeach()
fw_page(fw "see what fuses and why, compile, time and export graphs of deep learning" fusewright ${commands})
fw_page(fusewright "workbench for the operator graphs of deep learning" fw)
file(REMOVE ${sections})
