// Trees of patterns and chains, written as in resources/docs/grammar.md.
#pragma once

#include "syntax/parser.h"

namespace fw {

enum class PatternKind : std::uint8_t {
    Previous,     // ^
    Any,          // any
    Const,        // const
    Capture,      // x
    Bind,         // c = p
    Call,         // op(p, q)
    Sequence,     // p >> q
    Alternatives, // p | q
    Optional,     // p?
    Repeat,       // p* {1..8}
    Not,          // not p
    Output,       // out(1, p)
    Rest,         // ...p, among the operands of a call
    Dominated,    // dominated(p, path, q)
    Associative,  // assoc add(p, q, r)
};

// What is demanded of a value behind ":".
struct PatternConstraint {
    enum class Kind : std::uint8_t {
        Const,
        Equal, // const 0.5, const [1, 2]: a constant with this value
        Input, // of the graph
        Same,  // same(v): of the type of v; "^" is the value of the chain
        Type,  // f32[N, 64, ...]
    };
    Kind kind = Kind::Const;
    Tree value;             // Equal
    std::string name;       // Same: v; Type: the element type, a name that stands for one, or "any"
    bool hasShape = false;  // Type
    std::vector<Tree> dims; // Type: a Pack without a name inside is "..."
    std::string text;       // as written
    Span span;
};

struct PatternAttrTree {
    enum class Kind : std::uint8_t { All, Capture, Equal, Range, Among };
    Kind kind = Kind::Equal;
    std::string name; // of the attribute; of the capture for All
    Tree value;       // Equal
    Tree low, high;   // Range: numbers
    Tree among;       // a List
    std::string text; // as written
    Span span;
};

struct PatternTree {
    PatternKind kind = PatternKind::Any;
    std::string name;    // Capture, Bind; the operator, pattern or chain of a Call
    bool value = false;  // Capture, Bind: of a value, whatever other books declare under the name
    bool ofKind = false; // Call: name is a kind, any operator of it (or an easier one) is meant
    bool shared = false; // Bind: what stands for a parameter; looked at where it is met first
    int result = -1;     // Bind: of the operator that has the value; -1: the value itself
    // Call, Associative: operands; Sequence: steps; Alternatives; Dominated: where the paths begin,
    // what they are made of, where they end; the one inside of others; Rest may have none.
    std::vector<PatternTree> args;
    std::vector<PatternAttrTree> attrs;
    std::vector<PatternConstraint> constraints;
    std::vector<ConditionTree> where; // of a declared pattern: asked when all has matched
    std::int64_t low = 0, high = 0;   // Repeat; Output: which one, -1 for any
    Span span;

    bool demandsConst() const; // by a constraint
};

struct NamedPattern {
    std::string name;
    PatternTree pattern;
};

struct PatternParam {
    std::string name;
    std::vector<PatternConstraint> constraints;
    Span span;
};

struct PatternDeclTree : DeclarationTree { // keyword "pattern" or "chain"
    bool isChain = false; // a chain is named without parentheses and has no parameters
    std::vector<PatternParam> params;
    PatternTree pattern;
};

PatternTree parsePattern(Parser& parser);
// "(a, b) = split(x)": a name for each result, `_` for one that needs none.
bool atResults(const Parser& parser);
std::vector<std::string> parseResults(Parser& parser, Expect name,
                                      std::optional<BoundName::Kind> binds);
// The values that such a line of `match` looks for.
std::vector<NamedPattern> parseMatched(Parser& parser);

} // namespace fw
