// Between byte offsets of a text and places as people and editors count them: lines and columns
// from 1, columns in characters (code points of UTF-8).
#pragma once

#include "syntax/lexer.h"

namespace fw {

class TextPlaces {
public:
    explicit TextPlaces(std::string_view text); // which stays with the caller

    struct LineColumn {
        int line = 1;
        int column = 1;
    };
    LineColumn at(std::size_t offset) const; // past the end: that of the end
    // Of the character at a place; behind the end of its line, that end.
    std::size_t offset(int line, int column) const;
    // The span with line and column of its first byte.
    Span span(std::size_t begin, std::size_t end) const;
    std::string_view text() const { return m_text; }

private:
    std::size_t charactersBefore(std::size_t offset) const;

    std::string_view m_text;
    std::vector<std::size_t> m_lines;      // offsets of their first bytes
    std::vector<std::size_t> m_characters; // before every block of bytes
};

// The token at an offset: a word that covers it or ends there, else what covers it; nullptr between
// tokens. `tokens` is that of tokenize().
const Token* tokenAt(const std::vector<Token>& tokens, std::size_t offset);

} // namespace fw
