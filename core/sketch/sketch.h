// Text made of a part of a graph: a pattern that matches it, a rule that replaces it, an operator
// that computes it, a fusion rule that makes it one group, a test that has it.
//
// Every fact of the part that the text may or may not ask for (an attribute, an element type, a
// shape, the elements of a constant) is a row with the levels that it can have, the strictest
// first. What is not said stands at its first guess: attributes that differ from their defaults
// and small constants exact, everything else any.
#pragma once

#include "ir/graph.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fw {

enum class SketchKind : std::uint8_t { Pattern, Rule, Operator, Fuse, Test };

std::optional<SketchKind> sketchKind(std::string_view word); // "pattern", "rule", "op", ...
std::string sketchKinds();                                   // all of them, for a message

enum class SketchLevel : std::uint8_t {
    Exact,    // as it is here
    Range,    // a number of the span that the model has; of a shape its rank; a constant
    Captured, // anything, under a name
    Any       // not looked at
};

std::string_view levelText(SketchLevel level); // "exact", ...
std::optional<SketchLevel> sketchLevel(std::string_view word);

struct SketchFact {
    std::string key;                 // "conv2d.strides", "x.shape": equal for equal parts
    NodeId node = -1;                // of the graph: whose fact it is
    std::string what;                // "strides of conv2d"
    std::string value;               // as the part has it
    std::vector<SketchLevel> levels; // that it can have, the strictest first
    SketchLevel level = SketchLevel::Any;

    std::optional<SketchLevel> looser() const; // the next one that asks for less
};

struct SketchWish {
    SketchKind kind = SketchKind::Pattern;
    std::string name;                          // of the declaration
    std::map<std::string, SketchLevel> levels; // by key; one that a fact cannot have is left out
    std::set<std::string> taken;               // names that no value may have
    std::string stage = {};                    // of a rule; empty: as it would stand
};

struct Sketch {
    std::string text; // declarations, without a newline at the end
    std::vector<SketchFact> facts;
    std::vector<std::string> notices; // what the text does not say of the part, in a sentence
};

// The operators among `nodes`; inputs and constants of the graph are left out. Usage where nothing
// is left or where the kind of text has no form for the part: it does not hang together, a way
// leaves it and comes back, a pattern would need several results, an operator has no expression.
Result<Sketch> sketchOf(const Graph& graph, const std::vector<NodeId>& nodes,
                        const SketchWish& wish);

} // namespace fw
