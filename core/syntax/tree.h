// Trees of the expressions and types of `.fw` text: what was written and where, no meaning.
//
// Trees are values. Their depth is limited (maxTreeDepth), so walking one may recurse.
#pragma once

#include "syntax/lexer.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fw {

constexpr int maxTreeDepth = 200;

enum class TreeKind : std::uint8_t {
    Int,    // integer
    Float,  // real; inf and nan are Names
    Text,   // text
    Name,   // text
    Pack,   // args[0] with `...` behind it; in front of it (rules) if text is "..."
    Unary,  // text is the sign: "-" or "!"
    Binary, // text is the sign; args: left, right. "in": args[1] is a List
    Call,   // text(args) {attrs}
    Index,  // text[args]
    Reduce, // text(args[0] in args[1], ... : args.back()); a variable is a Name or a Pack of one
    List,   // [args]
};

struct TreeAttr;

struct Tree {
    TreeKind kind = TreeKind::Int;
    Span span;
    std::string text;
    std::int64_t integer = 0;
    double real = 0;
    std::vector<Tree> args;
    std::vector<TreeAttr> attrs;
    int depth = 1;

    bool isName() const { return kind == TreeKind::Name; }
    bool isName(std::string_view name) const { return kind == TreeKind::Name && text == name; }
    bool isCall(std::string_view name) const { return kind == TreeKind::Call && text == name; }
};

struct TreeAttr {
    std::string name;
    Tree value;
    Span span;
};

// A condition of `where`, `when` or `requires`.
struct ConditionTree {
    Tree tree;
    std::string text; // as written
};

// A key of targets behind `on`.
struct KeyTree {
    std::string name; // "x86-64-v3"
    Span span;
};

struct DimTree {
    Tree value;       // a Name, a Pack or an expression
    std::string axis; // the attribute behind '@', or empty
};

struct TypeTree {
    std::string dtype; // "f32", "T"
    std::vector<DimTree> dims;
    Span span;
};

} // namespace fw
