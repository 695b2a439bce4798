// The tree of an operator declaration, written as in resources/docs/grammar.md.
#pragma once

#include "syntax/parser.h"

namespace fw {

struct ParamTree {
    std::string name;
    bool bcast = false;
    bool optional = false;
    bool variadic = false;
    TypeTree type;
    Span span;
};

enum class AttrKind : std::uint8_t { Int, Float, Bool, Text, DType };

struct AttrParamTree {
    std::string name;
    AttrKind kind = AttrKind::Int;
    bool list = false;
    std::optional<std::int64_t> count; // of a list: the length it must have
    std::optional<Tree> fallback;      // without one the attribute must be given
    Span span;
};

struct OutTree {
    std::string name;
    TypeTree type; // without an element type: of an operator that stands for calls
    Span span;
};

struct WhereTree {
    std::string name;
    Tree value;
};

struct StmtTree {
    std::string each; // the variadic parameter the statement runs over, or empty
    bool let = false; // makes a tensor of its own
    std::string name;
    std::vector<Tree> indices;
    Tree value;
    Span span;
};

// `let m = call`, `y = call`, `(a, b) = call`: in the body of an operator that stands for calls
struct CallStmtTree {
    bool let = false;
    std::vector<std::string> names;
    Tree value;
    Span span;
};

// ours = theirs, ours = theirs ("one" = 1, "two" = 2), ours = operand 2, ours = operand 2[],
// ours = op add, ours = 0, each as `... else 1 of x`; or theirs == only, theirs == any
struct OnnxAttributeTree {
    std::string ours;                             // empty: the operator has none
    std::string theirs;                           // the node's name for it
    std::optional<Tree> only;                     // the one value that it may have
    std::optional<std::int64_t> operand;          // of the node, counted from 1
    bool isNumber = false;                        // operand 2[]
    std::optional<Tree> value;                    // whatever the node says
    std::vector<std::pair<Tree, Tree>> spellings; // theirs and ours
    std::optional<Tree> fallback;                 // `all`, `reversed` or a value
    std::string axesOf;                           // the operand whose axes it counts
    Span span;
};

struct OnnxTree {
    std::string domain;
    std::string type;
    std::int64_t since = 1;
    std::optional<std::int64_t> until;
    bool isChain = false;
    std::vector<OnnxAttributeTree> attributes;
    Span span;
};

struct OpTree : DeclarationTree {
    std::vector<ParamTree> params;
    std::vector<AttrParamTree> attrs;
    std::vector<ConditionTree> requirements;
    std::vector<OutTree> outs;
    std::vector<WhereTree> where;
    std::vector<OnnxTree> onnx;
    std::vector<StmtTree> stmts;
    std::vector<CallStmtTree> calls; // in place of `stmts`
    std::string signature;           // as written, name to outs, blanks normalised
    std::string body;                // as written between the braces, without common indentation

    // Its results are named and have no types: they are what its calls make.
    bool standsForCalls() const { return !outs.empty() && outs.front().type.dtype.empty(); }
};

// Clauses and nothing else.
Result<std::vector<OnnxTree>> parseOnnxClauses(std::string_view text, const std::string& file);
// Behind `op`, in front of the parameters of an operator that is written without a name.
std::shared_ptr<OpTree> parseOperatorInPlace(Parser& parser, const std::string& name);

} // namespace fw
