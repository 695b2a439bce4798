# What is installed, and the Debian package made of it (`./run package`, or cpack in the build folder).

include(GNUInstallDirs)
set(share ${CMAKE_INSTALL_DATADIR})
set(doc ${share}/doc/fusewright)

install(TARGETS fusewright fw RUNTIME)
# What a desktop needs to find the workbench and to know its files.
install(FILES resources/desktop/fusewright.desktop DESTINATION ${share}/applications)
install(FILES resources/desktop/fusewright.metainfo.xml DESTINATION ${share}/metainfo)
install(FILES resources/desktop/fusewright-mime.xml DESTINATION ${share}/mime/packages)
install(FILES resources/icons/fusewright.svg DESTINATION ${share}/icons/hicolor/scalable/apps)
# What the window offers before a model is open.
foreach(sample lenet residual mobilenet attention)
  install(DIRECTORY samples/${sample} DESTINATION ${share}/fusewright/samples)
endforeach()
# The interface of exported modules and that of libraries that books declare, with a library that has it.
install(FILES core/runtime/fusewright.h core/runtime/fusewright_library.h TYPE INCLUDE)
install(FILES samples/toylib/toylib.c samples/toylib/toylib.fw samples/toylib/blocks.fw DESTINATION ${doc}/examples/toylib)
install(DIRECTORY resources/docs DESTINATION ${doc})
install(FILES resources/package/copyright DESTINATION ${doc})

# Compressed while they are installed, as Debian wants them. The page of fw is made by fw (app/cli/CMakeLists.txt).
function(fw_compressed file to)
  install(CODE "
    set(to \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${to})
    get_filename_component(folder \${to} DIRECTORY)
    file(MAKE_DIRECTORY \${folder})
    execute_process(COMMAND gzip -9nc ${file} OUTPUT_FILE \${to} COMMAND_ERROR_IS_FATAL ANY)")
endfunction()
fw_compressed(${PROJECT_SOURCE_DIR}/resources/package/changelog ${doc}/changelog.gz)
fw_compressed(${PROJECT_SOURCE_DIR}/resources/package/fusewright.1 ${share}/man/man1/fusewright.1.gz)
fw_compressed(${PROJECT_BINARY_DIR}/app/cli/man/fw.1 ${share}/man/man1/fw.1.gz)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fusewright)
set(CPACK_PACKAGE_CONTACT "Fusewright maintainers <maintainers@fusewright.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "workbench for the operator graphs of deep learning")
set(CPACK_PACKAGE_DESCRIPTION
"Fusewright opens ONNX models and shows which operators are fused with which
and why. It compiles a model through tensor expressions, schedules and loops,
all of them shown as text, to x86 machine code, times every group of operators,
and exports a module that runs on its own.
.
Operators, rules, fusion rules and schedules are text that is edited live.
.
The package holds the workbench (fusewright), the command line (fw) and the
C headers of exported modules and of libraries that books declare.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What is opened or started while fw runs, and what it does without (`fw doctor` tells which is missing): gcc and the C
# library's own linker files link an exported module, the libraries compute groups, graphviz lays small graphs out.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "gcc, libc6-dev, libdnnl2, libopenblas0-openmp, graphviz, fonts-dejavu-core")
# cmake builds the example beside an exported module, the plugin is Qt's for a Wayland desktop.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, qt6-wayland")
include(CPack)
