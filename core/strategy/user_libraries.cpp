#include "strategy/user_libraries.h"

#include "target/target.h"

#include <fmt/format.h>

#include <filesystem>

namespace fw {

namespace fs = std::filesystem;

Diags checkLibrary(const LibraryTree& library, const std::string& file) {
    Diags out;
    const auto refuse = [&](DiagCode code, std::string message, const Span& span,
                            std::string hint) {
        out.push_back(makeDiag(code, std::move(message), {file, {}, span.line, span.column},
                               std::move(hint)));
    };
    if (library.name.find('.') != std::string::npos)
        refuse(DiagCode::TextName,
               fmt::format("{} has a point: behind one stands the name of a kernel", library.name),
               library.nameSpan, "library " + kernelName(library.name).library);
    else if (parseTarget("-libs=" + library.name) || library.name == "generated" ||
             library.name == "schedule")
        refuse(DiagCode::TextName, library.name + " is the name of shipped code", library.nameSpan,
               "give the library a name of its own");
    const fs::path path = library.file;
    if (library.file.empty() || path.is_absolute() || !path.has_filename())
        refuse(DiagCode::TextName, "\"" + library.file + "\" is no relative path of a file",
               library.fileSpan,
               fmt::format("a path begins at the folder of this book: library {} \"lib{}.so\"",
                           library.name, library.name));
    return out;
}

DeclaredLibrary declaredLibrary(const LibraryTree& library, const std::string& file) {
    std::error_code error;
    const fs::path path = fs::path(file).parent_path() / library.file;
    const fs::path whole = fs::absolute(path, error);
    return {library.name,
            (error ? path : whole).lexically_normal().string(),
            library.doc,
            {file, {}, library.span.line, library.span.column}};
}

KernelName kernelName(std::string_view text) {
    const std::size_t point = text.find('.');
    KernelName out;
    out.library = text.substr(0, point);
    if (point != std::string_view::npos)
        out.kernel = text.substr(point + 1);
    return out;
}

std::vector<std::string> namesOf(const std::vector<DeclaredLibrary>& libraries) {
    std::vector<std::string> out;
    for (const DeclaredLibrary& library : libraries)
        out.push_back(library.name);
    return out;
}

} // namespace fw
