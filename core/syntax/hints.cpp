#include "syntax/hints.h"

#include <algorithm>
#include <array>

namespace fw {

namespace {

constexpr std::array<std::string_view, 5> matching = {"rule", "fuse", "composite", "pattern",
                                                      "chain"};
constexpr std::array<std::string_view, 6> clauses = {"match", "where",    "let",
                                                     "emit",  "strategy", "stage"};

// Words that other languages have.
constexpr std::array<std::string_view, 2> asking = {"if", "when"};
constexpr std::array<std::string_view, 1> choosing = {"or"};

template <std::size_t N>
bool oneOf(const std::array<std::string_view, N>& words, const Token& token) {
    return token.kind == TokenKind::Name &&
           std::find(words.begin(), words.end(), token.text) != words.end();
}

// The last word of these before a place; nullptr if there is none.
template <class Is>
const Token* before(const std::vector<Token>& tokens, std::size_t at, const Is& is) {
    while (at > 0)
        if (is(tokens[--at]))
            return &tokens[at];
    return nullptr;
}

bool isNumber(const Token& token) {
    return token.kind == TokenKind::Int || token.kind == TokenKind::Float;
}

} // namespace

std::string hintOfGrammar(const std::vector<Token>& tokens, std::size_t at) {
    if (at == 0 || at >= tokens.size())
        return {};
    const Token* declaration = before(tokens, at, [](const Token& token) {
        return token.firstOnLine && token.kind == TokenKind::Name && token.span.column == 1;
    });
    if (declaration == nullptr || !oneOf(matching, *declaration))
        return {};
    const Token& found = tokens[at];
    const Token& last = tokens[at - 1];
    const bool named = declaration->is("pattern") || declaration->is("chain");
    const Token* clause =
        named ? nullptr
              : before(tokens, at, [](const Token& token) { return oneOf(clauses, token); });
    const bool inPattern = named || (clause != nullptr && clause->is("match"));
    if (oneOf(asking, found))
        return "conditions stand behind where";
    if (found.is(";"))
        return "nothing stands between clauses";
    if (found.is("->"))
        return "what takes its place stands behind emit: emit y = x";
    if (oneOf(choosing, found))
        return "either of two patterns is written p | q";
    if (found.is("=") && clause != nullptr && clause->is("where"))
        return "equal is written ==";
    if (declaration->is("pattern") && found.is("=") && &last == declaration + 1)
        return "a pattern has its captures in parentheses: pattern " + last.text +
               "(x) = ...; a chain has none";
    if (named && found.is("{") && last.is(")"))
        return "a pattern has no braces: pattern p(x) = relu(x)";
    if (!inPattern && last.is("const") && isNumber(found))
        return "the number in a constant is asked for by value(x) == " + found.text;
    if (!inPattern)
        return {};
    if (found.is("(") && &last == clause + 1)
        return "the value that is looked for has a name: match y = " + last.text + "(...)";
    if (isNumber(found) && last.is("{"))
        return "how often a step is repeated stands behind a star: relu(^)* {1..3}";
    if (isNumber(found))
        return "a constant of one value is written const " + found.text;
    if (found.is("...") && last.kind == TokenKind::Name)
        return "a list of operands is written ..." + last.text;
    if (found.is("=="))
        return "an attribute that is equal is written with one =: {axis = 1}";
    if (found.is("&&"))
        return "conditions stand behind where of a rule; either of two patterns is p | q";
    for (const char* sign : {"+", "-", "*", "/"})
        if (found.is(sign))
            return "a pattern is written with the names of operators: add(a, b)";
    return {};
}

} // namespace fw
