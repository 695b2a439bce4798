// The text files of an exported module, as functions of the request.
#pragma once

#include "module/export.h"
#include "module/expression_text.h"

namespace fw::module {

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

struct FileEntry {
    std::string name;
    std::size_t bytes = 0;
    std::string sha256;
};

std::string manifestText(const ExportRequest& request, const std::vector<FileEntry>& files,
                         const std::vector<std::string>& libraries);

} // namespace fw::module
