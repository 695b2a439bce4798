// One rule on one match: conditions, then the right side built with a GraphEditor.
#pragma once

#include "base/decision.h"
#include "condition/condition.h"
#include "pattern/match.h"
#include "rewrite/application.h"

namespace fw {

// Names that nothing binds, operators that do not exist, conditions not understood: each with its
// place. `targetKeys`: those that a condition may name; nullptr: any.
Diags checkRule(const RuleTree& rule, const OperatorSet& operators, const PatternTable& table,
                const std::string& file, const std::vector<std::string>* targetKeys = nullptr);

Diags checkPattern(const PatternDeclTree& pattern, const OperatorSet& operators,
                   const PatternTable& table, const std::string& file,
                   const std::vector<std::string>* targetKeys = nullptr);

// Where a node stands in its graph: never before one that it reads.
using RankOf = std::function<std::int64_t(NodeId)>;

// A condition that does not hold, or another reason why a complete match is none: an inner value is
// used outside, the right side is not known or changes nothing.
struct FailedCondition {
    std::size_t index = 0; // in RuleTree::where; as many as there are: of the whole match
    std::string sentence;
    std::size_t matched = 0; // operators
    std::string expected = "every condition holds";
    bool unchanged = false; // all conditions hold, but the right side is what was matched
    int step = 0;           // of several such reasons the later one is of the way that got further
};
// Why a complete match is none all the same. `step`: FailedCondition::step.
struct Refusal {
    std::string why;
    int step = 1;
};
using RefuseMatch = std::function<std::optional<Refusal>(const Match&)>;
struct RuleMatchOptions {
    // Of a target; null: none is known, and what a condition wants of it is there.
    const TargetOffer* offer = nullptr;
    AcceptMatch accept = {}; // further ways that are passed over, asked before the conditions
    // Given where a match becomes a group: asked when all conditions hold and no inner value is
    // used outside. It may cost much, so matchRule() asks a limited number of times.
    RefuseMatch refuse = {};
    RankOf rank = {}; // where somebody knows it
};
// Whether a condition wants something of the target: libs has onednn.
bool asksTarget(const std::vector<ConditionTree>& conditions);
TargetOffer wantedOffer(const RuleTree& rule); // a target that has all of it

// One of RuleTree::where. Where it names a list it is asked of every value in it: the first that it
// does not hold of, or that it holds.
ConditionResult judgedCondition(const RuleTree& rule, std::size_t index, const Graph& graph,
                                const Match& match, const RuleMatchOptions& options = {});
// The first one; nothing if all hold.
std::optional<FailedCondition> failedCondition(const RuleTree& rule, const Graph& graph,
                                               const Match& match,
                                               const RuleMatchOptions& options = {});

// What a rule finds at a root: the first way to match in which every condition holds. Where there
// is none, but some way fails by its conditions alone, the way that got furthest.
struct RuleMatch {
    std::optional<Match> match;
    std::optional<FailedCondition> failed;
};
// `patterns`: those of the rule. LimitReached as Matcher::matchAt.
Result<RuleMatch> matchRule(Matcher& matcher, const RuleTree& rule,
                            const PreparedPatterns& patterns, const Graph& graph, ValueRef root,
                            const RuleMatchOptions& options = {});
// Whether an operator that is no part of the match reads it, or it is a result of the model.
bool isUsedOutside(const Graph& graph, const Match& match, ValueRef value);
// Whether types are known to differ; free dimensions may be equal under another spelling.
bool haveOtherTypes(const TensorType& a, const TensorType& b);
// What a match binds; captures that it does not bind are absent.
Scope matchScope(const Graph& graph, const Match& match);

// A value of the snapshot as it is in the editor, after what was replaced so far.
using Successor = std::function<ValueRef(ValueRef)>;

struct Applied {
    std::vector<ValueRef> results;       // one per root
    std::map<ValueRef, ValueRef> handed; // roots and exposed values of the snapshot, and what
                                         // takes their place
    std::set<NodeId> kept;               // of what was matched
    std::size_t added = 0;
    Decisions notes; // what is computed twice, what is exposed
};

// What an entry of the book is about to do with a match: the operators and names of it.
Application applicationOf(std::size_t entry, const Match& match, const GraphEditor& editor);

// Adds the right side, hands the roots' users over and removes what was matched and is needed no
// more.
Result<Applied> applyRule(const RuleTree& rule, const Graph& graph, const Match& match,
                          const Successor& forward, GraphEditor& editor);

} // namespace fw
