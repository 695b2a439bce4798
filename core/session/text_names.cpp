// The names that a declaration binds, read from its words while it is typed.
#include "expr/dtype.h"
#include "session/text_context.h"
#include "syntax/foreign_words.h"

#include <set>

namespace fw {

namespace {

class Names {
public:
    Names(const std::vector<Token>& tokens, TextContext& out) : m_tokens(tokens), m_out(out) {}

    void read() {
        const std::string& keyword = m_out.keyword;
        const bool left = keyword == "pattern" || keyword == "chain";
        m_matches = left || keyword == "rule" || keyword == "fuse" || keyword == "composite";
        m_clause = left ? "match" : "";
        for (std::size_t i = m_out.first + 2; i < m_out.last; ++i) {
            if (at(i).is("{"))
                m_braces.push_back(at(i - 1).is(")") && keyword != "implementations" &&
                                   keyword != "op" && keyword != "schedule");
            else if (at(i).is("}") && !m_braces.empty())
                m_braces.pop_back();
            if (at(i).is("("))
                ++m_parentheses;
            else if (at(i).is(")"))
                --m_parentheses;
            if (at(i).is("=") && m_parentheses == 0 && m_braces.empty() &&
                (keyword == "pattern" || keyword == "chain"))
                m_clause = "match"; // behind its conditions
            if (at(i).is("["))
                m_types.push_back(i > 1 && isType(i - 1));
            else if (at(i).is("]") && !m_types.empty())
                m_types.pop_back();
            if (at(i).kind == TokenKind::Name)
                name(i);
        }
    }

private:
    const Token& at(std::size_t i) const { return m_tokens[i]; }
    bool next(std::size_t i, std::string_view mark) const {
        return i + 1 < m_out.last && at(i + 1).is(mark);
    }
    bool inAttributes() const { return !m_braces.empty() && m_braces.back(); }

    // What is being typed binds nothing for itself.
    void add(std::map<std::string, std::size_t>& names, const std::string& name, std::size_t i) {
        const bool isTyped = at(i).span.begin == m_out.begin && at(i).span.end == m_out.end;
        const auto known = names.find(name);
        if (known == names.end()) {
            names.emplace(name, i);
            if (isTyped)
                m_out.typed = name;
        } else if (m_out.typed == name) {
            m_out.typed.clear();
        }
    }

    // Whether a word is the element type of what stands in front of its colon.
    bool isType(std::size_t i) const {
        return at(i).kind == TokenKind::Name && (at(i - 1).is(":") || at(i - 1).is("&")) &&
               !inAttributes() && m_clause != "where";
    }
    bool hasTypes() const {
        const std::string& keyword = m_out.keyword;
        return m_matches || keyword == "op" || keyword == "implementations" || keyword == "target";
    }

    void name(std::size_t i) {
        const std::string& text = at(i).text;
        const std::string& keyword = m_out.keyword;
        if (hasTypes() && isType(i)) {
            if (next(i, "[") && !parseDtype(text) && !at(i).is("any"))
                add(m_out.dims, text, i);
            if (next(i, "[") || parseDtype(text))
                return;
        } else if (hasTypes() && !m_types.empty() && m_types.back()) {
            if (!at(i).is("any") && !at(i - 1).is("@") && !next(i, "("))
                add(m_out.dims, text, i);
            return;
        }
        if (m_matches)
            return inAttributes() ? attribute(i) : value(i);
        const bool binds = keyword == "graph" || keyword == "test"
                               ? (next(i, "=") && !inAttributes()) || next(i, ":")
                           : keyword == "implementations" ? next(i, ":") || next(i, "=")
                           : keyword == "schedule"        ? at(i - 1).is("knob") || isMade(i)
                           : keyword == "op"
                               ? next(i, ":") || next(i, "?") || next(i, "*") || at(i - 1).is("let")
                               : false;
        if (binds)
            add(m_out.values, text, i);
    }

    // Whether a step of a schedule makes a loop of this name.
    bool isMade(std::size_t i) const {
        std::size_t open = i, commas = 0;
        bool pack = false; // p...: any number of axes
        while (open > m_out.first && !at(open).is("(") && !at(open).is("{")) {
            commas += at(--open).is(",");
            pack = pack || at(open).is("...");
        }
        if (!at(open).is("(") || open == m_out.first)
            return false;
        const std::string& step = at(open - 1).text;
        return step.ends_with(".split")
                   ? commas == 1 || commas == 2
                   : step.ends_with(".fuse") && next(i, ")") && (commas > 1 || pack);
    }

    void attribute(std::size_t i) {
        if (m_clause != "match")
            return;
        if (at(i - 1).is("*"))
            add(m_out.attributes, "*" + at(i).text, i);
        else if (isWritten(i) && !parseDtype(at(i).text) && !at(i).is("any") &&
                 !isBoolean(at(i).text))
            add(m_out.attributes, at(i).text, i);
    }

    // `pads` in {pads}, q in {pads = q}, s in {strides = [s, 1]}: what a capture is called.
    bool isWritten(std::size_t i) const {
        const bool begins = at(i - 1).is("{") || at(i - 1).is(",") || at(i - 1).is("[") ||
                            (at(i - 1).is("=") && (next(i, ",") || next(i, "}")));
        return begins && !next(i, "=") && !next(i, "in") && !next(i, "(");
    }

    void value(std::size_t i) {
        static const std::set<std::string, std::less<>> words = {
            "match",   "where",  "let", "emit",  "stage", "strategy", "duplicate", "expose",
            "as",      "for",    "any", "const", "kind",  "same",     "in",        "on",
            "stacked", "melted", "not", "out",   "assoc", "input",    "true",      "false"};
        static const std::set<std::string, std::less<>> clauses = {"match", "where", "let", "emit",
                                                                   "as"};
        const std::string& text = at(i).text;
        if (words.contains(text)) {
            if (m_braces.size() <= 1 && clauses.contains(text) && !next(i, "="))
                m_clause = text;
            return;
        }
        if (next(i, "(") || at(i - 1).is("kind"))
            return;
        const bool begins =
            m_parentheses == 0 && next(i, "=") && (at(i - 1).is(m_clause) || at(i - 1).is(","));
        const bool result = m_parentheses == 1 && isResult(i);
        if (text == "_" || isHeaderKey(i))
            return;
        if (m_clause == "match" && (begins || result) && m_out.keyword == "rule")
            add(m_out.roots, text, i);
        if (m_clause == "match" || (m_clause == "let" && (begins || result)))
            add(m_out.values, text, i);
    }

    // One of (a, b) = split(x).
    bool isResult(std::size_t i) const {
        std::size_t open = i, close = i;
        while (open > m_out.first + 3 && at(open - 1).is(","))
            open -= 2;
        while (close + 2 < m_out.last && at(close + 1).is(","))
            close += 2;
        return open > m_out.first && at(open - 1).is("(") && next(close, ")") &&
               next(close + 1, "=");
    }

    // Behind `on`, in front of the block.
    bool isHeaderKey(std::size_t i) const {
        if (!m_braces.empty() || m_parentheses > 0)
            return false;
        while (i > m_out.first + 3 && (at(i - 1).is(",") || at(i - 1).is("-")))
            i -= 2;
        return at(i - 1).is("on");
    }

    const std::vector<Token>& m_tokens;
    TextContext& m_out;
    bool m_matches = false;
    std::string m_clause;
    std::vector<bool> m_braces; // whether they are those of attributes
    std::vector<bool> m_types;  // whether the brackets that are open are those of a type
    int m_parentheses = 0;
};

} // namespace

void readNames(const std::vector<Token>& tokens, TextContext& out) {
    Names(tokens, out).read();
}

} // namespace fw
