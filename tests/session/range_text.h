#pragma once

#include "session/text_range.h"

#include <string>

namespace fw::test {

inline std::string textOf(const std::string& text, const snapshot::TextRange& range) {
    const TextPlaces places(text);
    const std::size_t begin = places.offset(range.line, range.column);
    return text.substr(begin, places.offset(range.endLine, range.endColumn) - begin);
}

} // namespace fw::test
