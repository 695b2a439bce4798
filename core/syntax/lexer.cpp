#include "syntax/lexer.h"

#include <array>

namespace fw {

namespace {

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

// Longest first.
constexpr std::array<std::string_view, 9> longPuncts = {
    "...", "..", ">>", "->", "==", "!=", "<=", ">=", "&&"};
constexpr std::string_view shortPuncts = "()[]{},:;.=<>+-*/%?@^|&!$~";

class Lexer {
public:
    explicit Lexer(std::string_view text) : m_text(text) {}

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
                advance(end - m_pos);
                m_start.end = m_pos;
                m_list.comments.push_back({std::string(comment), m_start});
            } else {
                return true;
            }
        }
        return false;
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

    void quotedText() {
        std::string content;
        advance();
        while (m_pos < m_text.size() && at() != '"' && at() != '\n') {
            if (at() == '\\' && m_pos + 1 < m_text.size()) {
                const char escaped = at(1);
                content += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
                advance(2);
            } else {
                content += at();
                advance();
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
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else {
            if (c == '"' || c == '\\')
                out += '\\';
            out += c;
        }
    }
    return out + '"';
}

std::string nameOrQuoted(std::string_view text) {
    const TokenList list = tokenize(text);
    const bool plain = list.tokens.size() == 2 && list.tokens[0].kind == TokenKind::Name &&
                       list.comments.empty() && list.tokens[0].text == text;
    return plain ? std::string(text) : quoteText(text);
}

} // namespace fw
