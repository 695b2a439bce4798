#include "picture/diagram.h"

#include "base/library_names.h"

#include <cctype>

namespace fw::picture {

std::string chipText(const MakerRecord& maker) {
    switch (maker.by) {
    case Maker::Nobody:
        break;
    case Maker::Generated:
        return "LL";
    case Maker::Runtime:
        return "rt";
    case Maker::Reference:
        return "rf";
    case Maker::Library:
        if (const auto row = builtInLibrary(maker.library))
            return std::string(builtInLibraries()[*row].chip);
        std::string letters = maker.library.str().substr(0, 2);
        for (char& letter : letters)
            letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
        return letters;
    }
    return {};
}

std::string makerText(const MakerRecord& maker) {
    switch (maker.by) {
    case Maker::Nobody:
        break;
    case Maker::Generated:
        return "generated";
    case Maker::Runtime:
        return "runtime";
    case Maker::Reference:
        return "reference";
    case Maker::Library:
        if (const auto row = builtInLibrary(maker.library))
            return std::string(builtInLibraries()[*row].title);
        return maker.library;
    }
    return {};
}

Tint tintOf(const MakerRecord& maker) {
    static constexpr Tint builtIn[] = {
#define FW_LIBRARY(id, ...) {Colour::id, Colour::id##Fill},
#include "libraries/rows.def"
    };
    if (maker.by == Maker::Generated)
        return {Colour::Generated, Colour::GeneratedFill};
    if (maker.by != Maker::Library)
        return {Colour::Reference, Colour::ReferenceFill};
    const auto row = builtInLibrary(maker.library);
    return row ? builtIn[*row] : Tint{Colour::UserLibrary, Colour::UserLibraryFill};
}

} // namespace fw::picture
