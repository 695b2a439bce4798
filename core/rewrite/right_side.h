// The right side of a rule on one match: worked out over the snapshot, so that what is not known
// there, or would change nothing, is no way to match; added to a graph afterwards.
#pragma once

#include "ir/number_operands.h"
#include "rewrite/apply.h"

namespace fw {

// What a node of a right side reads: a value of the snapshot (an absent operand if it is not
// valid), one of the right side's own, or a number.
struct RightOperand {
    ValueRef value = {};
    int node = -1; // in RightSide::nodes
    int output = 0;
    std::optional<Number> number = {}; // a constant, of the type that the operands beside it give
};

const std::string& infixOperator(std::string_view sign); // what a + - * or / between values is
std::string_view infixSign(std::string_view op);         // the inverse; empty if it is none

struct RightNode {
    std::string op;
    std::vector<RightOperand> operands;
    Attrs attrs;
    std::string wish;      // its name, if no operator of the kind was matched; may be empty
    std::string name = {}; // that the rule gives it; empty: none
};

// node("stem"): a value of the graph, by its name or by that of its operator.
bool isNodeByName(const Tree& tree);

struct RightSide {
    std::vector<RightNode> nodes; // in the order in which they are computed; each is needed
    struct Handed {
        ValueRef from; // of the snapshot: a root, or an exposed value that is used outside
        RightOperand to;
    };
    std::vector<Handed> handed; // in the order of emit
};

// Refused (RuleIllegal) where something is not known: a part that is absent, a free dimension in an
// attribute, the elements of what is no constant.
Result<RightSide> rightSideOf(const RuleTree& rule, const Graph& graph, const Match& match,
                              const RankOf& rank = {});

// Whether it computes what it hands over as that is computed already. The operands of a commutative
// operator may be swapped, attributes that are not written count with their default.
bool changesNothing(const RightSide& right, const Graph& graph);

// Why what it hands over would be computed from itself; nothing if it would not. With `rank` what
// stands before all that is handed over is not looked at.
std::optional<Diag> circleIn(const RightSide& right, const Graph& graph, const RankOf& rank = {});

// The values that it reads.
std::set<ValueRef> readBy(const RightSide& right);

// What is handed over, in the editor; `origins` are those of every node that is added.
Result<std::vector<ValueRef>> addRightSide(const RightSide& right, const Graph& graph,
                                           const Match& match, const Successor& forward,
                                           GraphEditor& editor, const std::vector<NodeId>& origins);

} // namespace fw
