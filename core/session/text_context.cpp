#include "session/text_context.h"

#include "condition/condition.h"
#include "syntax/parser.h"
#include "target/target.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

bool isWordByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

using Words = std::vector<std::string>;

Words functionNames() { // of conditions
    Words out{"given"};
    for (const ConditionFunction& function : conditionFunctions())
        out.emplace_back(function.name);
    return out;
}

// The declaration that a token belongs to begins at the last word of the grammar that starts a line
// at or left of the one before it, as the parser recovers, or behind a closed declaration.
std::size_t declarationStart(const std::vector<Token>& tokens, std::size_t before) {
    std::size_t start = before;
    int column = 0, depth = 0;
    for (std::size_t i = 0; i < before; ++i) {
        const Token& token = tokens[i];
        const bool begins = token.kind == TokenKind::Name && fwGrammar().contains(token.text);
        const bool line = token.firstOnLine && (start == before || token.span.column <= column);
        const bool closed = depth == 0 && i > 0 && tokens[i - 1].is("}");
        if (begins && (line || closed || start == before)) {
            start = i;
            column = token.span.column;
            depth = 0;
        }
        depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
    }
    return start;
}

class Reading {
public:
    Reading(const std::vector<Token>& tokens, TextContext& context, std::size_t before)
        : m_tokens(tokens), m_out(context), m_before(before) {}

    void read() {
        m_out.keyword = m_tokens[m_out.first].text;
        // What is open around the place.
        for (std::size_t i = m_out.first + 1; i < m_before; ++i)
            walk(i);
        if (!m_open.empty() && m_open.back().attributes)
            return attribute();
        const std::string& keyword = m_out.keyword;
        if (keyword == "rule" || keyword == "fuse" || keyword == "composite")
            return rule();
        if (keyword == "pattern" || keyword == "chain")
            return pattern();
        if (keyword == "builtin")
            return set(prev() == keyword ? Expect::Builtin : Expect::Nothing);
        if (keyword == "grow")
            return grow();
        if (keyword == "implementations")
            return implementations();
        if (keyword == "schedule")
            return schedule();
        if (keyword == "target")
            return target();
        if (keyword == "pin")
            return pin();
        if (keyword == "test")
            return test();
        if (keyword == "graph")
            return graph();
        return op();
    }

private:
    struct Open {
        std::string mark; // "(", "[" or "{"
        std::string name; // of the call, in front of "("; of the call whose attributes these are
        bool attributes = false;
    };

    const Token& token(std::size_t back = 1) const { // from the place back
        static const Token none;
        return m_before >= m_out.first + back ? m_tokens[m_before - back] : none;
    }
    const std::string& prev(std::size_t back = 1) const { return token(back).text; }

    void set(Expect expect, Words words = {}) {
        m_out.expect = expect;
        m_out.words = std::move(words);
    }

    void walk(std::size_t i) {
        const Token& one = m_tokens[i];
        if (one.kind != TokenKind::Punct)
            return;
        const bool behindCall = i > 0 && m_tokens[i - 1].is(")");
        if (one.is("(")) {
            m_open.push_back({"(", m_tokens[i - 1].kind == TokenKind::Name ? m_tokens[i - 1].text
                                                                           : std::string()});
        } else if (one.is("[")) {
            m_open.push_back({"[", {}});
        } else if (one.is("{")) {
            m_open.push_back({"{", behindCall ? m_closed : std::string(), behindCall && inBody(i)});
        } else if ((one.is(")") || one.is("]") || one.is("}")) && !m_open.empty()) {
            if (one.is(")"))
                m_closed = m_open.back().name;
            m_open.pop_back();
        }
    }

    // Whether the braces behind a call at token `i` are its attributes.
    bool inBody(std::size_t i) const {
        const std::string& keyword = m_out.keyword;
        if (keyword == "pattern" || keyword == "chain")
            return true;
        if (keyword == "op" || keyword == "implementations" || keyword == "schedule")
            return false;
        return std::any_of(m_open.begin(), m_open.end(),
                           [](const Open& open) { return open.mark == "{"; }) &&
               m_tokens[i - 1].is(")");
    }

    std::size_t braces() const {
        return static_cast<std::size_t>(std::count_if(
            m_open.begin(), m_open.end(), [](const Open& open) { return open.mark == "{"; }));
    }

    // Whether an operand has just ended, so that a clause or a sign may follow.
    bool ended() const {
        const Token& last = token();
        if (last.kind == TokenKind::Int || last.kind == TokenKind::Float ||
            last.kind == TokenKind::Text)
            return true;
        if (last.kind == TokenKind::Name)
            return !last.is("match") && !last.is("where") && !last.is("let") && !last.is("emit") &&
                   !last.is("in") && !last.is("when") && !last.is("requires");
        return last.is(")") || last.is("}") || last.is("]") || last.is("?") || last.is("...") ||
               last.is("^") || last.is("*");
    }

    // The last of the words that stands directly in the outermost braces (or in none).
    std::string lastClause(const std::set<std::string>& words, std::size_t depth) const {
        std::size_t open = 0;
        std::string out;
        for (std::size_t i = m_out.first + 1; i < m_before; ++i) {
            const Token& one = m_tokens[i];
            open += one.is("(") || one.is("[") || one.is("{") ? 1 : 0;
            if (one.is(")") || one.is("]") || one.is("}"))
                open -= std::min<std::size_t>(open, 1);
            if (open == depth && one.kind == TokenKind::Name && words.contains(one.text))
                out = one.text;
        }
        return out;
    }

    void attribute() {
        m_out.op = m_open.back().name;
        if (prev() == "{" || prev() == ",")
            return set(Expect::Attribute);
        if (prev() == "*")
            return set(Expect::Capture);
        if (prev() == "=") {
            m_out.attribute = prev(2);
            return set(Expect::AttributeValue);
        }
        if (token().kind == TokenKind::Name && (prev(2) == "{" || prev(2) == ","))
            return set(Expect::Words, {"in"});
        set(Expect::Nothing);
    }

    void patternPlace() {
        if (prev() == ":" || prev() == "&")
            return set(Expect::Words, {"const", "same"});
        if (prev() == "kind")
            return set(Expect::Kind);
        if (!m_open.empty() && m_open.back().mark == "(" && m_open.back().name == "same")
            return set(Expect::Capture);
        if (ended())
            return set(Expect::Words);
        set(Expect::Pattern, {"any", "const", "kind"});
    }

    void conditionPlace() {
        if ((prev() == "==" || prev() == "!=") && prev(2) == ")" && prev(5) == "dtype")
            return set(Expect::ElementType);
        if (ended())
            return set(Expect::Words);
        set(Expect::Condition, functionNames());
    }

    void rule() {
        const bool isRule = m_out.keyword == "rule", isFuse = m_out.keyword == "fuse";
        if (braces() == 0) {
            if (prev() == m_out.keyword)
                return set(Expect::Nothing);
            if (prev() == "on" || (prev() == "," && isFuse))
                return set(Expect::TargetKey);
            if (prev() == "for")
                return set(Expect::Library);
            return set(Expect::Words, isFuse ? Words{"on"} : isRule ? Words{} : Words{"for"});
        }
        const Words clauses = isRule   ? Words{"match", "where",    "let",       "emit",
                                             "stage", "strategy", "duplicate", "expose"}
                              : isFuse ? Words{"match", "where", "expose", "as"}
                                       : Words{"match", "where", "expose"};
        const std::string clause =
            lastClause(std::set<std::string>(clauses.begin(), clauses.end()), 1);
        const bool outside = m_open.size() == 1;
        const bool begins = prev() == clause || (outside && prev() == ",");
        if (clause.empty() || clause == "duplicate")
            return set(Expect::Words, clauses);
        if (clause == "stage")
            set(Expect::Words, prev() == "stage"    ? Words{"simplify", "before"}
                               : prev() == "before" ? Words{"partition", "fusion"}
                                                    : Words{});
        else if (clause == "strategy")
            set(Expect::Words, prev() == "strategy" ? Words{"once", "sweep", "fixpoint"} : Words{});
        else if (clause == "as")
            set(prev() == "for" ? Expect::Library : Expect::Words,
                prev() == "as" ? Words{"stacked", "for"} : Words{});
        else if (clause == "where")
            conditionPlace();
        else if (clause == "match" && begins && isRule)
            set(Expect::Nothing);
        else if (clause == "match")
            patternPlace();
        else if (begins && clause == "let")
            set(Expect::Nothing);
        else if (begins) // what emit gives are the values of match
            set(Expect::Root);
        else if (ended())
            set(Expect::Words);
        else
            set(Expect::Value, {"given"});
        const bool between = outside && (ended() || clause == "stage" || clause == "strategy") &&
                             prev() != clause && prev() != "before";
        if (between)
            for (const std::string& word : clauses)
                m_out.words.push_back(word);
    }

    void pattern() {
        bool body = false;
        for (std::size_t i = m_out.first + 1; i < m_before; ++i)
            body = body || m_tokens[i].is("=");
        if (body)
            return patternPlace();
        set(prev() == ":" ? Expect::Words : Expect::Nothing, {"const"});
    }

    void grow() {
        if (prev() == "grow" || prev() == "->")
            return set(Expect::Kind);
        if (prev(2) == "->")
            return set(Expect::Words, {"forward", "into", "never"});
        if (prev() == "limit" || prev() == "operands")
            return set(Expect::Nothing);
        set(Expect::Words, m_before > m_out.first + 4 ? Words{"limit", "operands"} : Words{});
    }

    void guard(Words also) {
        if (prev() == "has")
            return set(prev(2) == "libs" ? Expect::Library : Expect::TargetKey);
        if (prev() == "libs" || prev() == "target")
            return set(Expect::Words, {"has"});
        if ((prev() == "==" || prev() == "!=") && prev(2) == ")" && prev(5) == "dtype")
            return set(Expect::ElementType);
        if (ended())
            return set(Expect::Words, std::move(also));
        Words words = functionNames();
        words.insert(words.end(), {"libs", "target"});
        set(Expect::Guard, std::move(words));
    }

    void implementations() {
        if (braces() == 0) {
            if (prev() == m_out.keyword)
                return set(Expect::Operator, {"kind"});
            if (prev() == "kind")
                return set(Expect::Kind, {"any"});
            const std::string clause = lastClause({"let", "on"}, 0);
            if (!m_open.empty() && clause.empty()) // an own signature
                return set(prev() == ":" ? Expect::ElementType : Expect::Nothing);
            if (clause == "on")
                return set(prev() == "on" || prev() == "," || prev() == "-" ? Expect::TargetKey
                                                                            : Expect::Words);
            if (clause == "let")
                return prev() == "let" || (prev() == "," && m_open.empty()) ? set(Expect::Nothing)
                                                                            : guard({"on"});
            return set(Expect::Words, {"let", "on"});
        }
        const Words clauses = {"by", "compute", "priority", "when", "absorbs"};
        const std::string clause =
            lastClause(std::set<std::string>(clauses.begin(), clauses.end()), 1);
        if (prev() == "by")
            return set(Expect::Implementation, {"schedule"});
        if (prev() == "schedule" && prev(2) == "by")
            return set(Expect::Schedule);
        if (clause == "compute" && (prev() == "compute" || m_open.size() > 1) && !ended())
            return set(Expect::Operator);
        if (prev() == "priority")
            return set(Expect::Nothing);
        if (prev() == "absorbs")
            return set(Expect::Chain, {"none", "any"});
        if (prev() == "{")
            return set(Expect::Entry);
        if (clause == "when" && (!ended() || prev() == "when" || m_open.size() > 1 ||
                                 prev() == "has" || prev() == "libs" || prev() == "target"))
            return guard({});
        set(Expect::Entry, clauses);
    }

    void schedule() {
        if (braces() == 0) {
            const std::string clause = lastClause({"for", "on"}, 0);
            if (prev() == "for")
                return set(Expect::Operator, {"kind"});
            if (prev() == "kind")
                return set(Expect::Kind, {"any"});
            if (clause == "on" && (prev() == "on" || prev() == "," || prev() == "-"))
                return set(Expect::TargetKey);
            return set(prev() == m_out.keyword ? Expect::Nothing : Expect::Words,
                       clause.empty()   ? Words{"for"}
                       : clause == "on" ? Words{}
                                        : Words{"on"});
        }
        if (m_open.size() == 1) // between steps
            return set(prev() == "knob" || prev() == "in" || prev() == "=" || prev() == ".."
                           ? Expect::Nothing
                           : Expect::Step,
                       {"knob", "anchor", "epilogue", "each"});
        set(Expect::Capture, {"epilogue", "reduce", "space", "outermost", "lanes", "registers",
                              "threads", "min", "max", "guard", "peel"});
    }

    void target() {
        if (braces() == 0) {
            if (prev() == m_out.keyword)
                return set(Expect::Nothing);
            const bool base = lastClause({"on"}, 0) == "on";
            return set(prev() == "on" || (base && prev() == "-") ? Expect::TargetKey
                                                                 : Expect::Words,
                       base ? Words{} : Words{"on"});
        }
        const Words clauses = {"keys", "libs", "features", "vector_bits", "threads", "requires"};
        const std::string clause =
            lastClause(std::set<std::string>(clauses.begin(), clauses.end()), 1);
        if (!m_open.empty() && m_open.back().mark == "[" && clause != "requires") {
            if (prev() != "[" && prev() != "," && prev() != "-")
                return set(Expect::Words);
            if (clause == "features")
                return set(Expect::Words, knownCpuFeatures());
            return set(clause == "libs" ? Expect::Library : Expect::TargetKey);
        }
        if (prev() == "=" && clause != "requires")
            return set(Expect::Nothing);
        if (clause == "requires")
            patternPlace();
        else
            set(Expect::Words);
        if (m_open.size() == 1 && (clause.empty() || (prev() != clause && ended())))
            m_out.words.insert(m_out.words.end(), clauses.begin(), clauses.end());
    }

    void pin() {
        if (braces() == 0)
            return set(Expect::Nothing);
        const Words clauses = {"together", "apart", "use", "avoid"};
        const std::string clause =
            lastClause(std::set<std::string>(clauses.begin(), clauses.end()), 1);
        if (clause.empty())
            return set(Expect::Words, clauses);
        if (prev() == "use" || prev() == "with" || prev() == "avoid")
            return set(Expect::Implementation);
        if (prev() == "for" && clause == "avoid")
            return set(Expect::Node, {"any"});
        if (prev() == "for" || prev() == "," || prev() == "together" || prev() == "apart")
            return set(Expect::Node);
        Words words = clauses;
        if (clause == "together")
            words.emplace_back("with");
        if (clause == "use" || clause == "avoid")
            words.emplace_back("for");
        if (clause == "avoid")
            words.emplace_back("because");
        set(Expect::Words, std::move(words));
    }

    void test() {
        if (braces() == 0) {
            if (prev() == "of")
                return set(Expect::Subject);
            return set(token().kind == TokenKind::Text ? Expect::Words : Expect::Nothing, {"of"});
        }
        if (prev() == "expect")
            return set(Expect::Words, {"match", "none", "becomes"});
        if (prev() == "becomes")
            return set(Expect::Words, {"graph"});
        // Inside a graph of the test, or between them.
        std::size_t inner = m_before;
        for (std::size_t i = m_out.first + 1; i < m_before; ++i)
            if (m_tokens[i].is("graph"))
                inner = i;
        if (inner == m_before)
            return set(Expect::Words, {"graph"});
        const bool header = std::none_of(m_tokens.begin() + static_cast<std::ptrdiff_t>(inner),
                                         m_tokens.begin() + static_cast<std::ptrdiff_t>(m_before),
                                         [](const Token& one) { return one.is("{"); });
        if (header || m_open.size() > 1)
            return graph();
        set(Expect::Words, {"expect"});
    }

    void graph() {
        const bool body = braces() > (m_out.keyword == "test" ? 1u : 0u) &&
                          (m_out.keyword != "test" || m_open.size() > 1);
        if (prev() == ":")
            return set(Expect::ElementType);
        if (prev() == "graph")
            return set(Expect::Nothing);
        if (!body)
            return set(prev() == "->" || prev() == "=" ? Expect::GraphValue : Expect::Nothing);
        if (prev() == "=")
            return set(Expect::Operator, {"const", "unknown"});
        if (prev() == "const")
            return set(Expect::Words, {"random"});
        if (!m_open.empty() && m_open.back().mark == "(" && !m_open.back().name.empty() &&
            (prev() == "(" || prev() == ","))
            return set(Expect::GraphValue, {"none"});
        set(Expect::Words, prev() == "{" ? Words{"assume"}
                           : ended()     ? Words{"assume", "body"}
                                         : Words{});
    }

    void op() {
        if (braces() == 0) {
            if (prev() == "op")
                return set(Expect::Nothing);
            const bool params = m_open.size() == 1 && m_open.back().mark == "(";
            if (params && (prev() == "(" || prev() == ","))
                return set(Expect::Words, {"attr", "bcast"});
            if (prev() == ":")
                return set(Expect::ElementType, prev(3) == "attr"
                                                    ? Words{"int", "float", "bool", "text", "dtype"}
                                                    : Words{"T"});
            if (m_open.empty() && ended())
                return set(Expect::Words, lastClause({"requires", "where", "onnx"}, 0) == "onnx"
                                              ? Words{"since", "until", "onnx"}
                                              : Words{"requires", "where", "onnx"});
            return set(lastClause({"requires", "where"}, 0).empty() ? Expect::Nothing
                                                                    : Expect::Expression);
        }
        if (m_open.size() == 1 && prev() == ",") { // {ours = theirs, ...} of a clause
            m_out.op = m_tokens[std::min(m_out.first + 1, m_before)].text;
            return set(Expect::Attribute);
        }
        if (m_open.size() == 1 && (prev() == "=" || prev() == "==") &&
            (prev(3) == "{" || prev(3) == ","))
            return set(Expect::Nothing);
        const bool begins = m_open.size() == 1 && (prev() == "{" || ended());
        if (begins)
            return set(Expect::Expression, {"let", "each"});
        set(Expect::Expression,
            {"sum",  "max",   "min",   "prod", "pad",   "wrap",   "select",  "cast", "exp",
             "log",  "sqrt",  "rsqrt", "sqr",  "tanh",  "erf",    "sigmoid", "abs",  "floor",
             "ceil", "round", "sign",  "pow",  "given", "before", "total"});
    }

    const std::vector<Token>& m_tokens;
    TextContext& m_out;
    std::size_t m_before;
    std::vector<Open> m_open;
    std::string m_closed; // the name in front of the parentheses that closed last
};

} // namespace

TextContext contextAt(std::string_view text, const TokenList& list, std::size_t offset) {
    TextContext out;
    const std::vector<Token>& tokens = list.tokens;
    offset = std::min(offset, text.size());
    out.begin = out.end = offset;
    while (out.begin > 0 && isWordByte(text[out.begin - 1]))
        --out.begin;
    while (out.end < text.size() && isWordByte(text[out.end]))
        ++out.end;
    for (const Comment& comment : list.comments)
        if (comment.span.begin < offset && offset <= comment.span.end)
            out.expect = Expect::Nothing;
    const auto tokensBefore = [&](std::size_t place) {
        const auto found = std::lower_bound(
            tokens.begin(), tokens.end(), place,
            [](const Token& token, std::size_t at) { return token.span.end <= at; });
        return static_cast<std::size_t>(found - tokens.begin());
    };
    std::size_t before = std::min(tokensBefore(out.begin), tokens.size() - 1);
    const Token& at = tokens[before];
    const bool inText = (at.kind == TokenKind::Text || at.kind == TokenKind::Error) &&
                        at.span.begin < offset && offset < at.span.end;
    if (inText || out.expect == Expect::Nothing) {
        out.expect = Expect::Nothing;
        out.begin = out.end = offset;
    }
    // x86-64-v3 is several tokens.
    std::size_t keyBegin = out.begin;
    while (keyBegin > 0 && (isWordByte(text[keyBegin - 1]) || text[keyBegin - 1] == '-'))
        --keyBegin;
    if (keyBegin < out.begin && out.expect != Expect::Nothing) {
        TextContext key;
        key.first = declarationStart(tokens, std::min(tokensBefore(keyBegin), before));
        const std::size_t beforeKey = tokensBefore(keyBegin);
        if (key.first < beforeKey) {
            Reading(tokens, key, beforeKey).read();
            if (key.expect == Expect::TargetKey) {
                out.begin = keyBegin;
                before = beforeKey;
            }
        }
    }
    const std::size_t start = declarationStart(tokens, before);
    const Token& word = tokens[before];
    const bool atLineStart = word.kind == TokenKind::Name && word.span.begin == out.begin &&
                             word.firstOnLine && start < before &&
                             word.span.column <= tokens[start].span.column;
    const bool declares = atLineStart && fwGrammar().contains(word.text);
    if (start == before || declares) {
        if (out.expect != Expect::Nothing)
            for (const auto& [keyword, parse] : fwGrammar())
                out.words.push_back(keyword);
        out.first = out.last = before;
        return out;
    }
    out.first = start;
    // Up to the next declaration.
    out.last = before;
    for (std::size_t i = before; i + 1 < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (token.firstOnLine && token.span.column <= tokens[start].span.column &&
            token.kind == TokenKind::Name && fwGrammar().contains(token.text) &&
            token.span.begin != out.begin)
            break;
        out.last = i + 1;
    }
    const bool nothing = out.expect == Expect::Nothing;
    Reading(tokens, out, before).read();
    if (nothing) {
        out.expect = Expect::Nothing;
        out.words.clear();
    }
    while (out.expect == Expect::TargetKey && out.end < text.size() &&
           (isWordByte(text[out.end]) || text[out.end] == '-'))
        ++out.end;
    // Behind a whole declaration another one may begin.
    int depth = 0;
    for (std::size_t i = start; i < before; ++i)
        depth += tokens[i].is("{") ? 1 : tokens[i].is("}") ? -1 : 0;
    const bool braced = out.keyword == "rule" || out.keyword == "fuse" || out.keyword == "test" ||
                        out.keyword == "pin" || out.keyword == "op" || out.keyword == "graph" ||
                        out.keyword == "composite" || out.keyword == "implementations" ||
                        out.keyword == "schedule" || out.keyword == "target";
    const std::string_view line = text.substr(0, out.begin);
    const std::size_t lineStart =
        line.rfind('\n') == std::string_view::npos ? 0 : line.rfind('\n') + 1;
    const bool fresh = line.substr(lineStart).find_first_not_of(" \t") == std::string_view::npos;
    if (!nothing && depth <= 0 && (braced ? before > start && tokens[before - 1].is("}") : fresh)) {
        if (braced)
            out.words.clear();
        if (braced || out.expect == Expect::Words)
            out.expect = Expect::Words;
        for (const auto& [keyword, parse] : fwGrammar())
            out.words.push_back(keyword);
    }
    readNames(tokens, out);
    return out;
}

} // namespace fw
