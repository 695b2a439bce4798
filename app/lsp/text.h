// A text as an editor tells it: lines from 0, places in the units of UTF-8 or UTF-16, against those
// of the engine, which counts lines and characters from 1 (syntax/places.h). They meet in offsets.
#pragma once

#include "snapshot/book_records.h"
#include "syntax/places.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fw::lsp {

enum class Encoding : std::uint8_t { Utf8, Utf16 };

struct Position {
    std::int64_t line = 0;
    std::int64_t character = 0;

    auto operator<=>(const Position&) const = default;
};
struct Range {
    Position start, end;
};

class Text {
public:
    Text(std::string text, Encoding encoding);
    Text(const Text&) = delete; // m_places looks at m_text
    Text& operator=(const Text&) = delete;

    const std::string& text() const { return m_text; }
    const TextPlaces& places() const { return m_places; }

    // Behind the end of a line it is that end, behind the text the end of the text; inside of a
    // character its beginning.
    std::size_t offset(Position position) const;
    Position position(std::size_t offset) const;
    Range range(std::size_t begin, std::size_t end) const;
    Range range(const snapshot::TextRange& range) const;
    // As the engine counts.
    TextPlaces::LineColumn place(Position position) const { return m_places.at(offset(position)); }

private:
    // Where a line ends, without its break: \n, \r\n or \r, as the protocol says.
    std::size_t endOf(std::size_t line) const;

    std::string m_text;
    Encoding m_encoding;
    TextPlaces m_places;
    std::vector<std::size_t> m_lines; // offsets of their first bytes
};

} // namespace fw::lsp
