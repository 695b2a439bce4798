#include "base/library_names.h"

#include <algorithm>

namespace fw {

const std::vector<LibraryNames>& builtInLibraries() {
    static const std::vector<LibraryNames> rows = {
#define FW_LIBRARY(id, number, name, title, chip, other, ...) {name, title, chip, other},
#include "libraries/rows.def"
    };
    return rows;
}

std::string builtInLibrariesText() {
    std::string out;
    for (const LibraryNames& row : builtInLibraries()) {
        out.append(out.empty() ? "" : ", ").append(row.name);
        if (row.other.empty())
            continue;
        out += " (";
        for (const char c : row.other)
            out += c == ' ' ? ", " : std::string(1, c);
        out += ")";
    }
    return out;
}

std::optional<std::size_t> builtInLibrary(std::string_view name) {
    const std::vector<LibraryNames>& rows = builtInLibraries();
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].name == name)
            return i;
    return std::nullopt;
}

std::string libraryOfCall(std::string_view name) {
    const std::string_view library = name.substr(0, std::min(name.find('.'), name.size()));
    return builtInLibrary(library) ? std::string(library) : std::string();
}

std::string libraryMeant(std::string_view written) {
    const std::size_t point = std::min(written.find('.'), written.size());
    const std::string own = " " + std::string(written.substr(0, point)) + " ";
    for (const LibraryNames& row : builtInLibraries())
        if ((" " + std::string(row.other) + " ").find(own) != std::string::npos)
            return std::string(row.name) + std::string(written.substr(point));
    return std::string(written);
}

} // namespace fw
