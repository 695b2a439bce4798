// Trees of rules and built-in rewrites, written as in resources/docs/grammar.md.
// Right sides are expressions (tree.h), where a call may carry "{*NAME, attr = value}".
#pragma once

#include "syntax/op.h"
#include "syntax/pattern.h"

namespace fw {

struct NamedTree {
    std::string name;
    Tree value;
};

struct RuleTree : DeclarationTree {
    std::string stage = "simplify";
    Span stageSpan, strategySpan;      // where they are written; line 0: nowhere
    std::string strategy = "fixpoint"; // once, sweep, fixpoint
    bool duplicate = false; // interior values may be used outside: they are computed twice
    bool changes = false;   // what the graph computes is meant to become something else
    struct Exposed {
        std::string name;
        Span span;
    };
    std::vector<Exposed> expose; // interior values that emit gives, too, to who uses them outside
    struct Called {
        std::string value; // of emit or let
        std::string name;  // of the operator that makes it
        Span span;
    };
    std::vector<Called> names;
    std::vector<NamedPattern> match;
    std::vector<ConditionTree> where;
    std::vector<NamedTree> let;
    std::vector<NamedTree> emit;
    // Written in let and emit in place of their names, which are RULE.op1, RULE.op2, ...
    std::vector<std::shared_ptr<const OpTree>> operators;
};

struct BuiltinTree : DeclarationTree {
    Span nameSpan;
};

// Behind `where` and `expose`, of whatever has a match.
void parseWhere(Parser& parser, RuleTree& rule);
void parseExposed(Parser& parser, RuleTree& rule); // a part that is there already is refused

std::vector<NamedTree> parseNamedTrees(Parser& parser); // NAME "=" expr {"," NAME "=" expr}

} // namespace fw
