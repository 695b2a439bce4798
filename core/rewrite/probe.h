// How one operator of a graph fits a declaration: as each of its steps, clause by clause, and in
// the match, or the attempt at one, around it.
#pragma once

#include "rewrite/matches.h"

namespace fw {

struct ProbedClause {
    enum class Of : std::uint8_t {
        Step,      // the operator as this step, with all that leads up to it
        Clause,    // of the step, looked at alone: an attribute, an operand, a limit
        Match,     // the whole declaration around it
        Condition, // of `where`, in the way to match that holds the operator
    };
    Of of = Of::Step;
    Truth truth = Truth::No;
    Span span;          // in the text; line 0: nowhere
    std::string clause; // "conv2d(x, w)", "groups = 1", "used_once(c)"
    std::string expected;
    std::string found; // empty: nothing more is to be said
};

// Steps that take another operator are left out; if all do, one row says which they take. Of a
// declaration that can match.
std::vector<ProbedClause> probeNode(const Graph& graph, const DeclarationTree& declaration,
                                    const PatternTable& table, NodeId node,
                                    const RuleMatchOptions& options = {});

} // namespace fw
