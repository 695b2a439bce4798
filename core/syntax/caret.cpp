#include "syntax/caret.h"

#include "syntax/parser.h"

#include <algorithm>
#include <cctype>
#include <tuple>

namespace fw {

Parser::Parser(std::string_view text, std::vector<Token> tokens, Caret& caret)
    : m_text(text), m_list{std::move(tokens), {}}, m_caret(&caret) {}

Parser::InAttribute::InAttribute(Parser& parser, std::string op, std::string attribute)
    : m_parser(parser),
      m_before(std::exchange(parser.m_attributeOf, {std::move(op), std::move(attribute)})) {
    parser.m_value = parser.m_next;
}

bool Parser::isAtCaret(std::size_t ahead) const {
    return m_caret != nullptr && !m_failed && m_next + ahead + 1 == m_list.tokens.size();
}

bool Parser::isNameBehind() const {
    return peek(1).kind == TokenKind::Name || isAtCaret(1);
}

void Parser::offer(std::initializer_list<std::string_view> words) const {
    if (!isAtCaret())
        return;
    for (const std::string_view word : words)
        if (std::isalpha(static_cast<unsigned char>(word.front())) != 0)
            m_caret->words.emplace_back(word);
}

void Parser::offer(Expect stands) const {
    if (!isAtCaret())
        return;
    m_caret->expect = stands;
    if (stands == Expect::AttributeValue && m_next != m_value)
        m_caret->expect = Expect::Term;
    std::tie(m_caret->op, m_caret->attribute) = m_attributeOf;
}

void Parser::binds(BoundName::Kind kind, const std::string& name, const Span& span) const {
    if (m_caret != nullptr && !m_failed && !name.empty())
        m_caret->bound.push_back({kind, name, span});
}

void Parser::bindsNamesIn(BoundName::Kind kind, const Tree& tree) const {
    if (tree.isName())
        binds(kind, tree.text, tree.span);
    for (const Tree& part : tree.args)
        bindsNamesIn(kind, part);
}

void Parser::bindsVariablesOf(const TypeTree& type) const {
    binds(BoundName::Kind::Extent, type.dtype, type.span);
    for (const DimTree& dim : type.dims)
        bindsNamesIn(BoundName::Kind::Extent, dim.value);
}

std::string Parser::bindName(std::string_view what, BoundName::Kind kind, Expect stands) {
    const Span span = peek().span;
    std::string name = expectNewName(what, stands);
    binds(kind, name, span);
    return name;
}

namespace {

using Tokens = std::vector<Token>;

// A line, as far as brackets that it opens are closed in it: it can be left out. [first, last)
struct Line {
    std::size_t first = 0, last = 0;
};

int openedBy(const Token& token) {
    return token.is("(") || token.is("[") || token.is("{")   ? 1
           : token.is(")") || token.is("]") || token.is("}") ? -1
                                                             : 0;
}

std::size_t beginOfLine(const Tokens& tokens, std::size_t place) {
    while (place > 0 && !tokens[place].firstOnLine)
        --place;
    return place;
}

// The line that begins at `first`; nothing if that leaves brackets open, or holds the caret or the
// beginning of the declaration.
std::optional<Line> lineFrom(const Tokens& tokens, std::size_t first) {
    if (first <= 1)
        return std::nullopt;
    Line out{first, first};
    for (int open = 0; out.last + 1 < tokens.size(); ++out.last) {
        const Token& token = tokens[out.last];
        if (out.last > first && token.firstOnLine && open == 0)
            return out;
        open += openedBy(token);
        if (open < 0)
            return std::nullopt;
    }
    return std::nullopt;
}

// What is left out where the parser does not go on at `place`: its line, else the one in front of
// it.
std::optional<Line> wrongLine(const Tokens& tokens, std::size_t place) {
    const std::size_t own = beginOfLine(tokens, place);
    if (const auto line = lineFrom(tokens, own))
        return line;
    return own == 0 ? std::nullopt : lineFrom(tokens, beginOfLine(tokens, own - 1));
}

class Reading {
public:
    Reading(std::string_view text, Tokens tokens) : m_text(text), m_tokens(std::move(tokens)) {}

    Caret run() {
        constexpr int mostMended = 8;
        for (int mended = 0;; ++mended) {
            Caret out;
            const std::size_t reached = read(out);
            const bool isThere = reached + 1 >= m_tokens.size();
            const auto wrong =
                isThere || mended == mostMended ? std::nullopt : wrongLine(m_tokens, reached);
            if (!wrong)
                return out;
            m_tokens.erase(m_tokens.begin() + static_cast<std::ptrdiff_t>(wrong->first),
                           m_tokens.begin() + static_cast<std::ptrdiff_t>(wrong->last));
        }
    }

private:
    // The token at which the parser stopped.
    std::size_t read(Caret& out) const {
        Parser parser(m_text, m_tokens, out);
        const Token keyword = parser.take();
        const auto kind = fwGrammar().find(keyword.text);
        if (kind == fwGrammar().end())
            return m_tokens.size();
        (void)kind->second(parser);
        out.isBehind = !parser.failed() && parser.atEnd();
        return parser.place();
    }

    std::string_view m_text;
    Tokens m_tokens;
};

} // namespace

Caret caretBehind(std::string_view text, const std::vector<Token>& tokens, std::size_t first,
                  std::size_t caret) {
    const auto at = [&](std::size_t i) { return tokens.begin() + static_cast<std::ptrdiff_t>(i); };
    Tokens before(at(first), at(caret));
    before.emplace_back();
    before.back().span = tokens[std::min(caret, tokens.size() - 1)].span;
    Caret out = Reading(text, std::move(before)).run();
    std::sort(out.words.begin(), out.words.end());
    out.words.erase(std::unique(out.words.begin(), out.words.end()), out.words.end());
    return out;
}

} // namespace fw
