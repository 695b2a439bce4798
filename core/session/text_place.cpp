// What may be written at a place of a declaration: a function for each kind, clause by clause.
#include "session/text_context.h"

#include "condition/condition.h"
#include "syntax/parser.h"
#include "target/target.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

using Words = std::vector<std::string>;

Words functionNames() { // of conditions
    Words out{"given"};
    for (const ConditionFunction& function : conditionFunctions())
        out.emplace_back(function.name);
    return out;
}

class Reading {
public:
    Reading(const std::vector<Token>& tokens, TextContext& context, std::size_t before)
        : m_tokens(tokens), m_out(context), m_before(before) {}

    void read() {
        m_out.keyword = m_tokens[m_out.first].text;
        for (std::size_t i = m_out.first + 1; i < m_before; ++i)
            walk(i);
        if (!m_open.empty() && m_open.back().attributes)
            return attribute();
        const std::string& keyword = m_out.keyword;
        if (keyword == "rule" && inside("[") && inAttributes() && !ended())
            return set(Expect::Term, functionNames());
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
        if (keyword == "library" || keyword == "include")
            return set(Expect::Nothing);
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
        if (keyword == "implementations" || keyword == "schedule" ||
            (keyword == "op" && m_out.results.empty()))
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
        return last.is(")") || last.is("}") || last.is("]") || last.is("^") ||
               (last.is("...") && token(2).kind == TokenKind::Name);
    }
    // Of a pattern: behind a step that may be absent or repeated, too.
    bool stepEnded() const {
        return prev() == "?" || prev() == "*" ||
               (ended() && !token().is("not") && !token().is("assoc"));
    }
    bool inAttributes() const {
        return std::any_of(m_open.begin(), m_open.end(),
                           [](const Open& open) { return open.attributes; });
    }
    bool inside(const char* mark) const { return !m_open.empty() && m_open.back().mark == mark; }

    // What a comparison may be followed by.
    static Words comparing(Words words = {}) {
        words.emplace_back("in");
        return words;
    }
    // In a signature: x: T[N], attr to: dtype.
    bool standsForType(std::string_view name) const {
        for (std::size_t i = m_out.first + 2; i < m_before; ++i) {
            const Token &before = m_tokens[i - 2], &colon = m_tokens[i - 1], &one = m_tokens[i];
            if (colon.is(":") && ((one.is(name) && i + 1 < m_before && m_tokens[i + 1].is("[")) ||
                                  (before.is(name) && one.is("dtype"))))
                return true;
        }
        return false;
    }
    bool asksElementType() const {
        const bool compares = prev() == "==" || prev() == "!=";
        if (compares && ((prev(2) == ")" && prev(5) == "dtype") || standsForType(prev(2))))
            return true;
        // dtype(x) in {f16, f32}, T in {f16, f32}
        std::size_t back = 1;
        while (prev(back) == "," || token(back).kind == TokenKind::Name) {
            if (prev(back) == "in")
                break;
            ++back;
        }
        if (prev(back) != "{" || prev(back + 1) != "in")
            return false;
        return (prev(back + 2) == ")" && prev(back + 5) == "dtype") || prev(back + 2) == "T" ||
               standsForType(prev(back + 2));
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
            const std::string& of = m_out.keyword;
            return set(Expect::AttributeValue, of == "rule" ? functionNames()
                                               : of == "op" ? computed()
                                                            : Words{});
        }
        if (token().kind == TokenKind::Name && (prev(2) == "{" || prev(2) == ","))
            return set(Expect::Words, {"in"});
        if (m_out.keyword == "rule" && !ended())
            return set(Expect::Term, functionNames());
        set(Expect::Nothing);
    }

    void patternPlace() {
        if (prev() == ":" || prev() == "&")
            return set(Expect::ElementType, {"const", "input", "same", "any"});
        if (prev() == "kind")
            return set(Expect::Kind);
        if (prev() == "const")
            return set(Expect::Words, {"true", "false"});
        if (prev() == "assoc")
            return set(Expect::Operator);
        if (inside("["))
            return ended() ? set(Expect::Words) : set(Expect::Extent, {"any"});
        if (inside("(") && m_open.back().name == "same")
            return set(Expect::Capture);
        if (inside("(") && m_open.back().name == "out" && prev() == "(")
            return set(Expect::Words, {"any"});
        if (stepEnded())
            return set(Expect::Words);
        set(Expect::Pattern, {"any", "const", "kind", "not", "out", "assoc", "dominated"});
    }

    void conditionPlace() {
        if (prev() == "has" && (prev(2) == "libs" || prev(2) == "target"))
            return set(prev(2) == "libs" ? Expect::Library : Expect::TargetKey);
        if (prev() == "libs" || prev() == "target")
            return set(Expect::Words, {"has"});
        if (asksElementType())
            return set(Expect::ElementType);
        if (ended())
            return set(Expect::Words, comparing());
        Words words = functionNames();
        words.insert(words.end(), {"libs", "target", "true", "false"});
        set(Expect::Condition, std::move(words));
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
                prev() == "as" ? Words{"stacked", "melted", "for"} : Words{});
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
            set(Expect::Value, {"given", "value", "op"});
        const bool between = outside &&
                             (stepEnded() || clause == "stage" || clause == "strategy") &&
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
        if (inside("("))
            patternPlace(); // limits of a parameter
        if (prev() != ":" && prev() != "&" && !inside("["))
            set(Expect::Nothing);
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
        if (asksElementType())
            return set(Expect::ElementType);
        if (ended())
            return set(Expect::Words, comparing(std::move(also)));
        Words words = functionNames();
        words.insert(words.end(), {"libs", "target", "true", "false"});
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
        if (prev() == "compute" || (clause == "compute" && m_open.size() > 1 && !ended()))
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
        if (token().kind == TokenKind::Name && prev(2) == "knob")
            return set(Expect::Words, {"in"});
        if (inside("(") && m_open.back().name.ends_with(".layout"))
            return prev() == "(" ? set(Expect::Words, {"row"})
                                 : set(Expect::Words, prev() == "-" ? Words{"major"} : Words{});
        if (m_open.size() == 1) // between steps
            return set(prev() == "knob" || prev() == "in" || prev() == "=" || prev() == ".."
                           ? Expect::Nothing
                           : Expect::Step,
                       {"knob", "anchor", "epilogue", "each"});
        set(Expect::Capture, {"epilogue", "reduce", "space", "outermost", "lanes", "registers",
                              "threads", "min", "max", "guard", "peel", "recompute"});
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
        if (prev() == "@")
            return set(Expect::Words, {"node", "from"});
        if (prev() == "graph" || prev() == "body")
            return set(Expect::Nothing);
        if (prev() == ")" && m_closed == bodyName())
            return set(Expect::Words, {"graph"});
        if (!body)
            return set(prev() == "->" || prev() == "=" ? Expect::GraphValue : Expect::Nothing);
        if (prev() == "=")
            return set(Expect::Operator, {"const", "unknown"});
        if (prev() == "const")
            return set(Expect::Words, {"random"});
        if (token().kind == TokenKind::Text && prev(2) == "@")
            return set(Expect::Words, {"hash"});
        if (inside("(") && (prev() == "(" || prev() == ",")) {
            const bool called = !m_open.back().name.empty() || isUnknown();
            return set(called ? Expect::GraphValue : Expect::Nothing,
                       called ? Words{"none"} : Words{});
        }
        set(Expect::Words, prev() == "{" ? Words{"assume"}
                           : ended()     ? Words{"assume", "body"}
                                         : Words{});
    }

    // What the operands of a body in front of the place belong to: "then_branch".
    std::string bodyName() const {
        std::size_t back = 1;
        while (back < m_before && prev(back) != "(")
            ++back;
        return prev(back + 2) == "body" ? prev(back + 1) : std::string("(");
    }
    // Whether the operands that are open are those of `unknown "domain" "Type"`.
    bool isUnknown() const {
        std::size_t back = 1;
        while (back < m_before && prev(back) != "(")
            ++back;
        return token(back + 1).kind == TokenKind::Text;
    }

    void op() {
        const bool ofCast = inside("(") && prev() == "," && m_open.back().name.ends_with("cast");
        const bool ofText = inside("(") && prev() == "=" && token(2).kind == TokenKind::Text;
        if (asksElementType() || ofCast || ofText)
            return set(Expect::ElementType, ofText ? Words{"true", "false"} : Words{});
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
            if (prev() == "=" && prev(3) == ":" && prev(2) == "dtype")
                return set(Expect::ElementType);
            const std::string clause = lastClause({"requires", "where", "onnx"}, 0);
            if (m_open.empty() && ended())
                return set(Expect::Words,
                           clause == "onnx" ? Words{"since", "until", "chain", "onnx"}
                           : clause.empty() ? Words{"requires", "where", "onnx"}
                                            : comparing({"requires", "where", "onnx"}));
            if (prev() == "=" && prev(3) == ":" && prev(2) == "bool")
                return set(Expect::Words, {"true", "false"});
            if (clause.empty()) // what an attribute is if it is not given
                return set(Expect::Expression,
                           m_open.size() > 1 || prev() == "=" ? computed() : Words{});
            return set(Expect::Expression, ended()                ? comparing()
                                           : clause == "requires" ? functionNames()
                                                                  : Words{});
        }
        if (m_open.size() == 1 && prev() == ",") { // {ours = theirs, ...} of a clause
            m_out.op = m_tokens[std::min(m_out.first + 1, m_before)].text;
            return set(Expect::Attribute);
        }
        if (m_open.size() == 1 && isOfClause())
            return set(Expect::Words, prev() == "="    ? Words{"operand"}
                                      : prev() == "==" ? Words{"any"}
                                      : ended() && prev() != "else" && prev() != "of"
                                          ? Words{"else", "of"}
                                          : Words{});
        const bool begins = m_open.size() == 1 && (prev() == "{" || ended());
        if (begins)
            return set(Expect::Expression, {"let", "each"});
        if (inside("(") && ended() && isReduction(m_open.back().name))
            return set(Expect::Words, {"in"});
        set(Expect::Expression, computed());
    }

    static Words computed() {
        return {
#define FW_FUNCTION(name, method, text, ...) text,
#include "expr/functions.def"
            "sum",   "max",    "min",      "prod",     "pad",     "wrap",  "select", "cast",
            "clamp", "lowest", "sqr",      "div",      "fma",     "given", "before", "total",
            "true",  "false",  "bit_cast", "replaced", "without", "places"};
    }

    // Whether the braces that are open are those of an `onnx` clause: ours = theirs, or a text.
    bool isOfClause() const {
        std::size_t open = 1;
        for (int depth = 0; open < m_before && (depth > 0 || prev(open) != "{"); ++open)
            depth += prev(open) == "}" ? 1 : prev(open) == "{" ? -1 : 0;
        return open > 2 && !m_out.results.contains(prev(open - 1)) &&
               (token(open - 1).kind == TokenKind::Text || prev(open - 2) == "=" ||
                prev(open - 2) == "==");
    }

    static bool isReduction(const std::string& name) {
        return name == "sum" || name == "max" || name == "min" || name == "prod";
    }
    const std::vector<Token>& m_tokens;
    TextContext& m_out;
    std::size_t m_before;
    std::vector<Open> m_open;
    std::string m_closed; // the name in front of the parentheses that closed last
};

} // namespace

void readPlace(const std::vector<Token>& tokens, std::size_t before, TextContext& out) {
    Reading(tokens, out, before).read();
}

} // namespace fw
