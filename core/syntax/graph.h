// The tree of a graph, written as in resources/docs/grammar.md.
#pragma once

#include "syntax/parser.h"

namespace fw {

struct ValueTree {
    std::string name; // empty: an absent optional operand, a result that has no name
    Span span;
    std::optional<Tree> number = {}; // an operand that is one
};

struct GraphInputTree {
    ValueTree value;
    TypeTree type;
    std::optional<std::vector<std::int64_t>> origins;
};

struct GraphResultTree {
    std::string name;
    ValueTree value;
};

enum class ConstantKind : std::uint8_t { Inline, Random, Reference };

struct ConstantTree {
    ConstantKind kind = ConstantKind::Inline;
    Tree elements;         // Inline: a list
    std::int64_t seed = 0; // Random
    std::string name;      // Reference
    std::string hash;      // Reference; empty if not written
};

struct GraphTree;

struct GraphBodyTree {
    ValueTree name;
    std::vector<std::int64_t> operands; // -1: none
    std::shared_ptr<const GraphTree> graph;
};

struct GraphNodeTree {
    std::vector<ValueTree> results;
    std::optional<ConstantTree> constant;
    std::string op;           // of a call
    Span opSpan;              // where that is written
    std::string domain, type; // of an unknown operator
    std::vector<ValueTree> operands;
    std::vector<TreeAttr> attrs;
    std::vector<TypeTree> types; // of a constant, or of the results of an unknown operator
    std::string name;            // empty if not written
    std::optional<std::vector<std::int64_t>> origins;
    std::vector<GraphBodyTree> bodies;
    Span span;
};

// What must hold of the free dimensions.
struct GraphAssumptionTree {
    Tree condition;
    std::string sentence; // empty if not written
    std::string node;     // that asks for it; empty if not written
    Span span;
};

struct GraphTree : DeclarationTree {
    std::vector<GraphInputTree> inputs;
    std::vector<GraphResultTree> results;
    std::vector<GraphAssumptionTree> assumptions;
    std::vector<GraphNodeTree> nodes;
};

} // namespace fw
