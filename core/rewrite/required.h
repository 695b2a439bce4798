// Sequences of operators that a target requires: whoever begins one is part of a whole one.
#pragma once

#include "rewrite/matches.h"
#include "syntax/target.h"

namespace fw {

// The operators that begin a pattern: those that read none of its others. Empty if a match may
// begin with something else, or with nothing.
std::vector<PatternTree> beginningsOf(const PatternTree& pattern, const PatternTable& table);

// Names that are not known, and sequences that do not begin with an operator.
Diags checkRequired(const SequenceTree& sequence, const OperatorSet& operators,
                    const PatternTable& table, const std::string& file);

// A node that begins the sequence and is part of no match of it.
struct MissingSequence {
    NodeId node = -1;
    std::string why; // how far it gets, and what stands behind that
};
// In the order of the graph. A match whose inner values are used outside of it is none.
Result<std::vector<MissingSequence>> missingSequences(const Graph& graph,
                                                      const PatternTree& sequence,
                                                      const PatternTable& table,
                                                      const CancelToken& cancel = {});

} // namespace fw
