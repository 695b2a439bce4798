// The one lexer of `.fw` text: bytes to tokens, each with its place. Comments are kept beside the
// tokens, so that an editor can show them; nothing here knows what a word means.
//
// Identifiers may hold dots between words (`onednn.conv`). A number never swallows the dots of a
// range: `1..4` is an integer, `..` and an integer. A character that starts no token becomes one
// Error token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fw {

// A piece of a text: byte offsets [begin, end), line and column of its first character (from 1; a
// column is a code point of UTF-8).
struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
    int line = 0;
    int column = 0;

    bool operator==(const Span&) const = default;
};

enum class TokenKind : std::uint8_t { Name, Int, Float, Text, Punct, Error, End };

struct Token {
    TokenKind kind = TokenKind::End;
    std::string text; // as written; of a Text token the content without quotes and escapes
    Span span;
    bool firstOnLine = false;

    bool is(std::string_view punctOrWord) const {
        return (kind == TokenKind::Punct || kind == TokenKind::Name) && text == punctOrWord;
    }
};

struct Comment {
    std::string text; // without the '#'
    Span span;
};

struct TokenList {
    std::vector<Token> tokens; // ends with one End token
    std::vector<Comment> comments;
};

TokenList tokenize(std::string_view text);

// "text" in quotes with the escapes the lexer reads.
std::string quoteText(std::string_view text);
// The text itself if it is one Name token, else quoted.
std::string nameOrQuoted(std::string_view text);

} // namespace fw
