// What the calls of an operator in one graph have in common: as much as a body that is written once
// for all of them may take for granted.
#pragma once

#include "ir/graph.h"
#include "syntax/op.h"

#include <map>
#include <optional>
#include <span>
#include <string>

namespace fw {

enum class ElementKind : std::uint8_t { Float, Integer, Truth, Mixed };

struct CallFacts {
    // Of an element type, by its name in the signature: "T", "f32". Mixed: it differs, or it is
    // none of the others.
    std::map<std::string, ElementKind> kinds;
    std::map<std::string, std::optional<std::size_t>> ranks; // of packs; nullopt: it differs
    std::map<std::string, bool> given;                       // optional operands
};

ElementKind kindOf(DType dtype);

// The name of what a dim of a signature stands for ("N", "P", "3"), or empty if it is computed.
std::string dimName(const DimTree& dim);

// Of `calls`, nodes of `graph` that call `op`, whose tree is `tree`. UnsupportedAttribute if they
// have less in common than a body needs, in a sentence without a place.
Result<CallFacts> factsOfCalls(const OpTree& tree, const Operator& op, const Graph& graph,
                               std::span<const Node* const> calls);

} // namespace fw
