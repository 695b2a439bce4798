// The text files of an exported module, as functions of the request.
#pragma once

#include "module/export.h"

namespace fw::module {

// "n * 2 + 1" with the names of the program's free dimensions.
std::string expressionText(const runtime::Program& program, runtime::ExpressionId expression);
std::string shapeText(const runtime::Program& program, const runtime::Tensor& tensor); // "[n, 3]"

std::string
contentsAssembly(const ExportRequest& request); // program.bin and metadata.json lie beside it
std::string
exportsText(const ExportRequest& request); // version script: the functions of fusewright.h
std::string headerText(const ExportRequest& request);
std::string exampleText(const ExportRequest& request);
// Of a static module: names for objcopy, "OLD NEW" and those that stay global, and the functions of
// fusewright.h for the second member of its archive.
std::string renamedText(const ExportRequest& request);
std::string keptText(const ExportRequest& request);
std::string functionsAssembly(const ExportRequest& request);
std::string configText(const ExportRequest& request); // NAMEConfig.cmake
std::string configVersionText();                      // NAMEConfigVersion.cmake
std::string listsText(const ExportRequest& request);  // CMakeLists.txt

struct FileEntry {
    std::string name;
    std::size_t bytes = 0;
    std::string sha256;
};

std::string manifestText(const ExportRequest& request, const std::vector<FileEntry>& files,
                         const std::vector<std::string>& libraries);

} // namespace fw::module
