#include "syntax/lexer.h"

#include "syntax/foreign_words.h"

#include <algorithm>
#include <array>

namespace fw {

namespace {

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

int hexDigit(char c) {
    return isDigit(c)             ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// How many bytes the character of UTF-8 has that begins here; 0: none does.
std::size_t characterAt(std::string_view text, std::size_t pos) {
    const auto byte = [&](std::size_t i) {
        return pos + i < text.size() ? static_cast<unsigned char>(text[pos + i]) : 0U;
    };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    const unsigned second = byte(1);
    const bool tooLong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool beyond = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
    return tooLong || beyond ? 0 : length;
}

std::string escapedByte(char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    return {'\\', 'x', digits[byte / 16], digits[byte % 16]};
}

// Longest first.
constexpr std::array<std::string_view, 9> longPuncts = {
    "...", "..", ">>", "->", "==", "!=", "<=", ">=", "&&"};
constexpr std::string_view shortPuncts = "()[]{},:;.=<>+-*/%?@^|&!$~";

class Lexer {
public:
    explicit Lexer(std::string_view text) : m_text(text) {
        if (constexpr std::string_view mark = "\xef\xbb\xbf"; m_text.starts_with(mark))
            m_pos = mark.size(); // editors put it in front of UTF-8
    }

    TokenList run() {
        while (skipBlank())
            next();
        begin();
        add(TokenKind::End, "");
        return std::move(m_list);
    }

private:
    char at(std::size_t ahead = 0) const {
        return m_pos + ahead < m_text.size() ? m_text[m_pos + ahead] : '\0';
    }

    // Whether the byte belongs to the character that began before it.
    bool goesOn(std::size_t pos) const {
        return pos < m_text.size() && (static_cast<unsigned char>(m_text[pos]) & 0xc0) == 0x80;
    }

    void advance(std::size_t count = 1) {
        for (; count > 0 && m_pos < m_text.size(); --count, ++m_pos) {
            if (m_text[m_pos] == '\n') {
                ++m_line;
                m_column = 1;
                m_first = true;
            } else if (!goesOn(m_pos)) {
                ++m_column;
            }
        }
    }

    // False at the end of the text.
    bool skipBlank() {
        while (m_pos < m_text.size()) {
            const char c = m_text[m_pos];
            if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
                advance();
            } else if (c == '#') {
                begin();
                const std::size_t end = std::min(m_text.find('\n', m_pos), m_text.size());
                const std::string_view comment = m_text.substr(m_pos + 1, end - m_pos - 1);
                const Span start = m_start;
                const bool whole = toCharacterThatIsNone(end);
                advance(end - m_pos);
                m_list.comments.push_back({std::string(comment), start});
                m_list.comments.back().span.end = m_pos;
                if (!whole)
                    add(TokenKind::Error, "a byte in a comment that is no character of UTF-8");
            } else {
                return true;
            }
        }
        return false;
    }

    // Up to `end`; false, and begun there, where a byte begins no character.
    bool toCharacterThatIsNone(std::size_t end) {
        while (m_pos < end) {
            const std::size_t length = characterAt(m_text, m_pos);
            if (length == 0) {
                begin();
                return false;
            }
            advance(length);
        }
        return true;
    }

    void begin() { m_start = {m_pos, m_pos, m_line, m_column}; }

    void add(TokenKind kind, std::string text) {
        m_start.end = m_pos;
        m_list.tokens.push_back({kind, std::move(text), m_start, m_first});
        m_first = false;
    }

    std::string taken() const {
        return std::string(m_text.substr(m_start.begin, m_pos - m_start.begin));
    }

    void next() {
        begin();
        const char c = at();
        if (isLetter(c)) {
            do
                advance();
            while (isLetter(at()) || isDigit(at()) || (at() == '.' && isLetter(at(1))));
            return add(TokenKind::Name, taken());
        }
        if (isDigit(c))
            return number();
        if (c == '"')
            return quotedText();
        for (const std::string_view punct : longPuncts)
            if (m_text.substr(m_pos, punct.size()) == punct) {
                advance(punct.size());
                return add(TokenKind::Punct, std::string(punct));
            }
        if (c == '|' && at(1) == '|') {
            advance(2);
            return add(TokenKind::Punct, "||");
        }
        const bool known = shortPuncts.find(c) != std::string_view::npos;
        advance();
        for (int more = 3; more > 0 && !known && goesOn(m_pos); --more)
            advance();
        add(known ? TokenKind::Punct : TokenKind::Error, taken());
    }

    void number() {
        bool real = false;
        while (isDigit(at()))
            advance();
        if (at() == '.' && isDigit(at(1))) {
            real = true;
            advance();
            while (isDigit(at()))
                advance();
        }
        const bool sign = at(1) == '+' || at(1) == '-';
        if ((at() == 'e' || at() == 'E') && isDigit(at(sign ? 2 : 1))) {
            real = true;
            advance(sign ? 2 : 1);
            while (isDigit(at()))
                advance();
        }
        add(real ? TokenKind::Float : TokenKind::Int, taken());
    }

    void refuseText(std::string why) {
        while (m_pos < m_text.size() && at() != '"' && at() != '\n')
            advance();
        if (at() == '"')
            advance();
        add(TokenKind::Error, std::move(why));
    }

    void quotedText() {
        std::string content;
        advance();
        while (m_pos < m_text.size() && at() != '"' && at() != '\n') {
            if (at() == '\\' && m_pos + 1 < m_text.size()) {
                const char escaped = at(1);
                const int high = escaped == 'x' ? hexDigit(at(2)) : -1;
                const int low = escaped == 'x' ? hexDigit(at(3)) : -1;
                if (escaped == 'x' && (high < 0 || low < 0)) {
                    begin();
                    return refuseText("\\x without two hexadecimal digits behind it");
                }
                content += escaped == 'n'   ? '\n'
                           : escaped == 't' ? '\t'
                           : high >= 0      ? static_cast<char>(high * 16 + low)
                                            : escaped;
                advance(high >= 0 ? 4 : 2);
            } else {
                const std::size_t length = characterAt(m_text, m_pos);
                if (length == 0) {
                    begin();
                    return refuseText("a byte that is no character of UTF-8, which is written " +
                                      escapedByte(at()));
                }
                content += m_text.substr(m_pos, length);
                advance(length);
            }
        }
        if (at() != '"')
            return add(TokenKind::Error, "text without a closing quote");
        advance();
        add(TokenKind::Text, std::move(content));
    }

    std::string_view m_text;
    std::size_t m_pos = 0;
    int m_line = 1;
    int m_column = 1;
    bool m_first = true;
    Span m_start;
    TokenList m_list;
};

} // namespace

TokenList tokenize(std::string_view text) {
    return Lexer(text).run();
}

std::string quoteText(std::string_view text) {
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        const std::size_t length = characterAt(text, i);
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (length == 0 || static_cast<unsigned char>(c) < ' ' || c == 0x7f)
            out += escapedByte(c);
        else
            out += (c == '"' || c == '\\' ? "\\" : "") + std::string(text.substr(i, length));
        i += std::max<std::size_t>(1, length);
    }
    return out + '"';
}

std::string nameOrQuoted(std::string_view text) {
    const TokenList list = tokenize(text);
    const bool plain = list.tokens.size() == 2 && list.tokens[0].kind == TokenKind::Name &&
                       list.comments.empty() && list.tokens[0].text == text && !isBoolean(text);
    return plain ? std::string(text) : quoteText(text);
}

} // namespace fw
