#include "syntax/hints.h"

#include "base/declaration_kind.h"
#include "base/language_words.h"
#include "base/nearest.h"
#include "syntax/foreign_words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

namespace fw {

namespace {

// Whether all bytes of a character are there.
bool isWhole(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    return character.size() == (first >= 0xf0 ? 4U : first >= 0xe0 ? 3U : first >= 0xc2 ? 2U : 1U);
}

using Words = std::set<std::string_view>;

bool oneOf(const Words& words, const Token& token) {
    return token.kind == TokenKind::Name && words.contains(token.text);
}

// Of a rule, or of what is written like one.
bool beginsClause(const Token& token) {
    return token.kind == TokenKind::Name && clauseWord(token.text, kindOf(Declares::Fuse).keyword);
}

// Words that other languages have.
const Words& priorities() {
    static const Words words = {"plevel", "level", "prio", "weight"};
    return words;
}

bool isNumber(const Token& token) {
    return token.kind == TokenKind::Int || token.kind == TokenKind::Float;
}

bool adjacent(const Token& a, const Token& b) {
    return a.span.end == b.span.begin;
}

// The place of an error, and what stands around it.
class Hints {
public:
    Hints(const std::vector<Token>& tokens, std::size_t at)
        : m_tokens(tokens), m_at(at), m_found(tokens[at]), m_last(tokens[at - 1]) {
        const auto begins = [](const Token& token) {
            return token.firstOnLine && token.kind == TokenKind::Name && token.span.column == 1;
        };
        m_declaration = before(begins);
        if (m_declaration == nullptr)
            return;
        m_kind = findKind(m_declaration->text);
        m_named = isAnyOf({Declares::Pattern, Declares::Chain});
        if (!m_named)
            m_clause = before(beginsClause);
        m_inPattern = m_named || (m_clause != nullptr && m_clause->is("match"));
        m_open = openAround(m_at);
    }

    std::string run() const {
        if ((m_found.is("/") && (next().is("/") || next().is("*"))) ||
            (m_found.is("/") && m_last.is("/") && adjacent(m_last, m_found)))
            return "a comment begins with #";
        if (m_declaration == nullptr)
            return {};
        if (std::string said = ofLists(); !said.empty())
            return said;
        if (std::string said = ofTypes(); !said.empty())
            return said;
        if (m_kind == nullptr)
            return {};
        switch (m_kind->declares) {
        case Declares::Graph:
        case Declares::Test:
            return ofGraphs();
        case Declares::Implementations:
            return ofConditions("when");
        case Declares::Pin:
            return ofPins();
        case Declares::Rule:
        case Declares::Fuse:
        case Declares::Composite:
        case Declares::Pattern:
        case Declares::Chain:
            return m_inPattern ? ofPatterns() : ofRules();
        default:
            return {};
        }
    }

private:
    bool isAnyOf(std::initializer_list<Declares> kinds) const {
        return m_kind != nullptr &&
               std::find(kinds.begin(), kinds.end(), m_kind->declares) != kinds.end();
    }
    const Token& at(std::size_t place) const {
        return m_tokens[std::min(place, m_tokens.size() - 1)];
    }
    const Token& next() const { return at(m_at + 1); }
    const Token& earlier(std::size_t back) const {
        static const Token none;
        return back > m_at ? none : m_tokens[m_at - back];
    }

    // The last token before the error that is like this; nullptr if there is none.
    template <class Is>
    const Token* before(const Is& is) const {
        for (std::size_t i = m_at; i-- > 0;)
            if (is(m_tokens[i]))
                return &m_tokens[i];
        return nullptr;
    }

    // The place of the bracket that is open in front of a place; that place if there is none.
    std::size_t openAround(std::size_t place) const {
        int depth = 0;
        for (std::size_t i = place; i-- > 0;) {
            const Token& token = m_tokens[i];
            if (token.is(")") || token.is("]") || token.is("}"))
                ++depth;
            else if ((token.is("(") || token.is("[") || token.is("{")) && depth-- == 0)
                return i;
            if (&token == m_declaration)
                break;
        }
        return place;
    }
    bool inside(std::string_view bracket) const {
        return m_open < m_at && m_tokens[m_open].is(bracket);
    }

    std::string ofLists() const {
        if (m_found.is("}") && m_last.is(","))
            return "leave the comma out";
        if (beginsClause(m_last) && earlier(2).is(",") && m_found.kind != TokenKind::End &&
            !m_found.is("="))
            return "leave the comma in front of " + m_last.text + " out";
        if (!m_found.is(",") || !inside("(") || m_open == 0)
            return {};
        const Token& opener = m_tokens[m_open - 1];
        const std::size_t outer = openAround(m_open);
        const bool ofAttribute =
            (outer < m_open && m_tokens[outer].is("{")) || isAnyOf({Declares::Op});
        if (opener.is("=") && ofAttribute)
            return "a list is written in brackets: [2, 2]";
        return opener.is("in") ? "one of several is written in braces: {1, 2}" : "";
    }

    std::string ofTypes() const {
        const bool behindColon = earlier(2).is(":") && m_last.kind == TokenKind::Name;
        if (m_found.is("<") && behindColon)
            return "a type is written with brackets: f32[N, 4]";
        if (m_found.is("(") && behindColon && !elementTypeMeant(m_last.text).empty())
            return "a type is written with brackets: f32[N, 4]";
        if (m_found.is("?") && inside("["))
            return m_inPattern ? "an axis of any extent is written any: f32[any, 4]"
                               : "an axis of any extent has a name: f32[N, 4]";
        return {};
    }

    // In `where`, `when`, and what else is computed of numbers.
    std::string ofConditions(const std::string& clause) const {
        if (m_found.is("and") || m_found.is("&"))
            return "conditions are joined by &&";
        if (m_found.is("or") || m_found.is("|"))
            return "either of two conditions is written a || b";
        if (m_found.is("not") || m_last.is("not"))
            return "the contrary of a condition is written !";
        if (m_found.is("is") || (m_found.is("=") && m_clause != nullptr && m_clause->is("where")))
            return "equal is written ==";
        if (m_found.is("=") && clause == "when" && inside("{"))
            return "equal is written ==";
        if (m_found.is("in") && !next().is("{"))
            return "one of several is written in braces: x in {1, 2}";
        if (clause != "when")
            return {};
        static const Words asking = {"if", "where", "unless"};
        if (oneOf(asking, m_found))
            return "the condition of an entry stands behind when";
        if (oneOf(priorities(), m_found))
            return "which entry goes before others is written priority 20";
        return {};
    }

    std::string ofPins() const {
        static const Words joining = {"fuse", "join", "group", "merge", "keep"};
        static const Words parting = {"split", "separate", "unfuse", "never"};
        static const Words choosing = {"force", "prefer", "choose", "by", "implementation"};
        if (oneOf(joining, m_found))
            return "operators are held in one group by together a, b";
        if (oneOf(parting, m_found))
            return "operators are kept in different groups by apart a, b";
        return oneOf(choosing, m_found) ? "an implementation is asked for by use NAME for a" : "";
    }

    std::string ofGraphs() const {
        const bool operand = inside("(") && m_open > 0 &&
                             m_tokens[m_open - 1].kind == TokenKind::Name &&
                             (m_last.is("(") || m_last.is(","));
        if (operand && m_tokens[m_open - 1].is("const"))
            return "a constant is written const [0.5] : f32[]";
        if (operand && (isNumber(m_found) || m_found.is("-")))
            return "a number is a constant with a name of its own: c = const [0.5] : f32[]";
        if (m_last.is("return"))
            return "the results of a graph stand behind its inputs: graph g(x: f32[4]) -> y";
        if (m_found.is("[") && m_last.is(")"))
            return "all results of a call have names: (a, b) = split(x)";
        if (m_found.is("(") && m_last.kind == TokenKind::Name && inside("{"))
            return "a call gives values with names: y = " + m_last.text + "(...)";
        if (earlier(2).is("=") && m_last.kind == TokenKind::Name)
            for (const char* sign : {"+", "-", "*", "/"})
                if (m_found.is(sign))
                    return "a graph is written with the names of operators: add(a, b)";
        if (m_found.is(":") && m_last.is(")"))
            return "types of results are inferred; only constants and unknown operators write one";
        return {};
    }

    // Outside of patterns.
    std::string ofRules() const {
        if (m_found.is("on"))
            return "the target stands in front of the block: " + m_declaration->text + " NAME on " +
                   next().text + " { ... }";
        static const Words asking = {"if", "when"};
        if (oneOf(asking, m_found))
            return "conditions stand behind where";
        if (m_found.is(";"))
            return "nothing stands between clauses";
        if (m_found.is("->"))
            return "what takes its place stands behind emit: emit y = x";
        if (m_clause != nullptr && m_clause->is("where"))
            if (std::string said = ofConditions("where"); !said.empty())
                return said;
        if (m_last.is("const") && isNumber(m_found))
            return "the number in a constant is asked for by value(x) == " + m_found.text;
        const bool gives = m_clause != nullptr && (m_clause->is("emit") || m_clause->is("let"));
        if (m_found.is("[") && m_last.is(")") && gives)
            return "all results of a call have names: let (a, b) = split(x)";
        return {};
    }

    std::string ofPatterns() const {
        if (m_found.is("on") && !m_named)
            return ofRules();
        if (m_found.is("on"))
            return "the target stands in front of =: " + m_declaration->text + " NAME on " +
                   next().text + " = ...";
        if (m_found.is("where") && m_named)
            return "conditions stand in front of =: " + m_declaration->text +
                   " NAME where rank(x) == 2 = ...";
        static const Words asking = {"if", "when"};
        if (oneOf(asking, m_found))
            return "conditions stand behind where";
        if (m_found.is(";"))
            return "nothing stands between clauses";
        if (m_found.is("->"))
            return "what takes its place stands behind emit: emit y = x";
        if (m_found.is("or") || m_found.is("||"))
            return "either of two patterns is written p | q";
        if (isAnyOf({Declares::Pattern}) && m_found.is("=") && &m_last == m_declaration + 1)
            return "a pattern has its captures in parentheses: pattern " + m_last.text +
                   "(x) = ...; a chain has none";
        if (m_named && m_found.is("{") && m_last.is(")"))
            return "a pattern has no braces: pattern p(x) = relu(x)";
        if (m_found.is("(") && m_clause != nullptr && &m_last == m_clause)
            return "the value that is looked for has a name, several results of an operator have "
                   "one each: match (a, b) = split(x)";
        if (m_found.is("(") && m_clause != nullptr && &m_last == m_clause + 1)
            return "the value that is looked for has a name: match y = " + m_last.text + "(...)";
        if (m_found.is("(") && m_last.is("const"))
            return "a constant of one value is written const " +
                   (isNumber(next()) ? next().text : std::string("0.5"));
        if (m_found.is("&") && m_last.is("const"))
            return "what else a constant must be stands behind a colon: const: f32[4], or with a "
                   "name w: const & f32[4]";
        if (m_found.is("[") && m_last.is(")"))
            return "a further result of an operator has a name: (_, b) = split(x)";
        if (m_found.is("[") && m_last.kind == TokenKind::Name)
            return "the type of a value stands behind a colon: x: " + m_last.text + "[...]";
        return ofNumbers();
    }

    std::string ofNumbers() const {
        if (isNumber(m_found) && m_last.is("{"))
            return "how often a step is repeated stands behind a star: relu(^)* {1..3}";
        if (isNumber(m_found))
            return "a constant of one value is written const " + m_found.text;
        if (m_found.is("-") && isNumber(next()) && (m_last.is("(") || m_last.is(",")))
            return "a constant of one value is written const -" + next().text;
        if (m_found.is("...") && m_last.kind == TokenKind::Name)
            return "a list of operands is written ..." + m_last.text;
        if (m_found.is("=="))
            return "an attribute that is equal is written with one =: {axis = 1}";
        if (m_found.is("&&") || m_found.is("and"))
            return "conditions stand behind where of a rule; either of two patterns is p | q";
        for (const char* sign : {"+", "-", "*", "/"})
            if (m_found.is(sign))
                return "a pattern is written with the names of operators: add(a, b)";
        return {};
    }

    const std::vector<Token>& m_tokens;
    std::size_t m_at;
    const Token& m_found;
    const Token& m_last;
    const Token* m_declaration = nullptr;
    const DeclarationKind* m_kind = nullptr; // its own; null: there is none
    const Token* m_clause = nullptr;         // the last word that begins one
    bool m_named = false;                    // a pattern or a chain
    bool m_inPattern = false;
    std::size_t m_open = 0;
};

} // namespace

std::string tokenText(const Token& token) {
    switch (token.kind) {
    case TokenKind::End:
        return "the end of the text";
    case TokenKind::Text:
        return quoteText(token.text.substr(0, 40));
    case TokenKind::Error:
        if (token.text.size() > 1 && token.text[0] >= ' ')
            return token.text;
        if (token.text.size() > 1 && isWhole(token.text))
            return fmt::format("the character {}", token.text);
        if (token.text[0] < ' ' || token.text[0] > '~')
            return fmt::format("the byte {:#04x}", static_cast<unsigned char>(token.text[0]));
        break;
    case TokenKind::Name:
    case TokenKind::Int:
    case TokenKind::Float:
    case TokenKind::Punct:
        break;
    }
    return fmt::format("'{}'", token.text.substr(0, 40));
}

std::string hintOfGrammar(const std::vector<Token>& tokens, std::size_t at) {
    return at == 0 || at >= tokens.size() ? std::string() : Hints(tokens, at).run();
}

std::string hintOfDeclaration(const std::vector<Token>& tokens, std::size_t at,
                              const std::vector<std::string>& keywords) {
    static const std::map<std::string_view, std::string_view> meant = {
        {"import", "another book is read by include \"path.fw\""},
        {"from", "another book is read by include \"path.fw\""},
        {"use", "another book is read by include \"path.fw\""},
        {"using", "another book is read by include \"path.fw\""},
        {"require", "another book is read by include \"path.fw\""},
        {"def", "an operator is declared by op NAME(...), a pattern by pattern NAME(...) = ..."},
        {"fn", "an operator is declared by op NAME(...), a pattern by pattern NAME(...) = ..."},
        {"func", "an operator is declared by op NAME(...), a graph by graph NAME(...) -> ..."},
        {"function", "an operator is declared by op NAME(...), a graph by graph NAME(...) -> ..."},
        {"operator", "an operator is declared by op NAME(...)"},
        {"kernel", "an operator is declared by op NAME(...)"},
        {"rewrite", "a rewrite is declared by rule NAME { match ... emit ... }"},
        {"replace", "a rewrite is declared by rule NAME { match ... emit ... }"},
        {"let", "a pattern that is used often is declared by pattern NAME(...) = ... or chain"},
        {"model", "a model is declared by graph NAME(...) -> ... { ... }"},
        {"module", "a model is declared by graph NAME(...) -> ... { ... }"},
        {"strategy", "what computes an operator is declared by implementations OP(...) on any"},
    };
    if (at >= tokens.size())
        return {};
    const Token& found = tokens[at];
    if (found.kind == TokenKind::Name) {
        const auto known = meant.find(found.text);
        return known != meant.end() ? std::string(known->second) : didYouMean(found.text, keywords);
    }
    const Token& next = tokens[std::min(at + 1, tokens.size() - 1)];
    const bool comment = (found.is("/") && (next.is("/") || next.is("*"))) ||
                         (found.is("-") && next.is("-")) || found.is("%");
    return comment ? "a comment begins with #" : "";
}

bool isForeignClause(const Token& token) {
    static const Words words = {"and", "or", "not", "is", "if", "unless", "where"};
    return oneOf(words, token) || oneOf(priorities(), token);
}

} // namespace fw
