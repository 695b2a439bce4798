// Trees of patterns, chains, rules and built-in rewrites, written as in resources/docs/grammar.md.
// Right sides are expressions (tree.h), where a call may carry "{*NAME, attr = value}".
#pragma once

#include "syntax/parser.h"

namespace fw {

enum class PatternKind : std::uint8_t {
    Previous,
    Any,
    Const,
    Capture,
    Bind,
    Call,
    Sequence,
    Alternatives,
    Optional,
    Repeat
};

struct PatternAttrTree {
    enum class Kind : std::uint8_t { All, Capture, Equal, Range };
    Kind kind = Kind::Equal;
    std::string name; // of the attribute; of the capture for All
    Tree value;       // Equal
    std::int64_t low = 0, high = 0;
    Span span;
};

struct PatternTree {
    PatternKind kind = PatternKind::Any;
    std::string name;     // Capture, Bind; the operator, pattern or chain of a Call
    bool isConst = false; // Capture ": const"
    std::string sameAs;   // Capture ": same(v)": of the type of v; "^" is the value of the chain
    bool ofKind = false;  // Call: name is a kind, any operator of it (or an easier one) is meant
    bool anyArgs = false; // Call: "..." after the arguments
    std::vector<PatternTree>
        args; // Call: operands; Sequence: steps; Alternatives; the one inside of others
    std::vector<PatternAttrTree> attrs;
    std::int64_t low = 0, high = 0; // Repeat
    Span span;
};

struct NamedPattern {
    std::string name;
    PatternTree pattern;
};

struct NamedTree {
    std::string name;
    Tree value;
};

struct RuleTree : DeclarationTree {
    std::string stage = "simplify";
    Span stageSpan, strategySpan;      // where they are written
    std::string strategy = "fixpoint"; // once, sweep, fixpoint
    bool duplicate = false; // interior values may be used outside: they are computed twice
    std::vector<NamedPattern> match;
    std::vector<ConditionTree> where;
    std::vector<NamedTree> let;
    std::vector<NamedTree> emit;
};

struct PatternParam {
    std::string name;
    bool isConst = false;
    Span span;
};

struct PatternDeclTree : DeclarationTree { // keyword "pattern" or "chain"
    bool isChain = false; // a chain is named without parentheses and has no parameters
    std::vector<PatternParam> params;
    PatternTree pattern;
};

struct BuiltinTree : DeclarationTree {
    Span nameSpan;
};

std::shared_ptr<DeclarationTree> parseRuleDeclaration(Parser& parser);
std::shared_ptr<DeclarationTree> parsePatternDeclaration(Parser& parser);
std::shared_ptr<DeclarationTree> parseChainDeclaration(Parser& parser);
std::shared_ptr<DeclarationTree> parseBuiltinDeclaration(Parser& parser);

PatternTree parsePattern(Parser& parser);
std::vector<NamedTree> parseNamedTrees(Parser& parser); // NAME "=" expr {"," NAME "=" expr}

} // namespace fw
