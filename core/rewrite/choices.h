// Applications that compete for operators: what else there was to do where one was done, and how to
// have it done instead.
#pragma once

#include "rewrite/driver.h"

namespace fw {

// A match that has an operator which an application took out, so that it lost its turn.
struct OtherMatch {
    std::size_t entry = 0; // of RewriteTrace::applied
    Match match;
    std::vector<NodePtr> shared;   // what the application took of it
    std::optional<Decision> unfit; // its right side does not fit: why
};

struct OtherMatches {
    std::vector<OtherMatch> found; // in the order of the book; of one rule in that of the graph
    std::string stopped;           // by a limit, as a sentence; empty: these are all
};

// `editor` has the graph in front of `taken`, and has it again behind this. Of rules that are asked
// in the same stage. Looks as far around as each rule does, for two seconds at most.
OtherMatches choicesAt(GraphEditor& editor, const RuleBook& book, const Application& taken,
                       const RewriteOptions& options);

// Applies it, as the next step of the editor. RuleIllegal where it does not fit.
Result<Application> take(GraphEditor& editor, const RuleBook& book, const OtherMatch& choice);

// How a choice gets its turn: its rivals are left out, one by one as they appear.
struct Instead {
    std::vector<std::string> leaveOut; // besides RewriteOptions::leftOut
    std::vector<std::string> again;    // of RewriteOptions::leftOut, that must not be
    std::size_t number = 0;            // of its application then, from 1
    std::optional<Decision> refused;   // it cannot be had: why; the others are empty then
};

// `wanted`: what take() gave for a choice at `taken`. `graph`: the one that is rewritten. Rewrites
// it a few times. Cancelled.
Result<Instead> insteadOf(const GraphPtr& graph, const RuleBook& book,
                          const RewriteOptions& options, const Application& taken,
                          const Application& wanted);

} // namespace fw
