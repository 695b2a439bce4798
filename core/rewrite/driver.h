// The rule driver: books of rewrites applied to a graph until nothing changes, with a trace and
// limits.
//
// Rules run in the order of the book; a sweep applies every match of a rule that does not touch
// what an earlier match of the same sweep replaced or made. Behind the first sweep a rule is asked
// only where the graph changed within its reach. An application that does not fit is undone and the
// next way to match is tried; so is one that brings back what a chain of applications took out. A
// driver that stops early says why and names the rules that kept firing. Built-in rewrites
// (fold_constants, cse) are entries of the book like rules.
//
// Stages follow one another, each with its own rules until nothing changes. Rules of the first one
// see the graphs inside nodes, too: those first, each once, however many nodes hold it.
#pragma once

#include "base/cancel.h"
#include "base/decision.h"
#include "pattern/match.h"
#include "rewrite/application.h"
#include "rewrite/left_out.h"

#include <chrono>

namespace fw {

struct AppliedRule {
    std::string rule;
    std::string file; // empty: none is known
    int line = 0;
    std::size_t count = 0;
    double ms = 0;
};

// Rules, patterns and chains of one or more files, in order. A value; the trees are shared.
struct RuleBook {
    std::vector<std::shared_ptr<const DeclarationTree>>
        entries; // RuleTree and BuiltinTree, in order
    std::vector<std::shared_ptr<const PatternDeclTree>> patterns;

    std::map<const DeclarationTree*, std::string> files; // of the entries, where they have one

    // Passes over what is none of these.
    void add(const std::vector<DeclarationPtr>& declarations, const std::string& file = {});
    std::shared_ptr<const RuleTree> ruleAt(std::size_t entry) const; // null: a built-in rewrite
    std::string place(const DeclarationTree& entry) const;           // "squeeze at mine.fw:3"
    AppliedRule appliedRule(const DeclarationTree& entry) const;     // without applications
    PatternTable table() const;
};

// In the order in which they run; what a rule may name behind `stage`. Built-in rewrites belong to
// the first one.
const std::vector<std::string>& rewriteStages();
const std::string& stageOf(const DeclarationTree& entry); // of a rule or a built-in rewrite

Result<RuleBook> standardRules(); // the rule books of resources/library, one behind another
// Not checked; refused with the first error of the grammar.
Result<RuleBook> parseRules(std::string_view text, const std::string& file);

// A decision of the trace that a user must hear of: an application was undone, rules undo each
// other, rewriting stopped before it was done, a refuted rule acted.
bool wentWrong(const Decision& decision);

// Rules that bring back what they took out, each found where the last of them would have done so.
struct RulesInCircle {
    std::vector<std::string> rules; // in the order in which they follow each other
    std::string node;               // where it was seen first
    std::string before, after;      // two graphs as text: what the last one matched, what it made
    std::size_t places = 0;         // at which it was seen

    std::string text() const; // "there, back undo each other"
};

// A match that was refused, as it was asked last.
struct NotApplied {
    std::size_t entry = 0;        // of RewriteTrace::applied
    std::vector<NodePtr> matched; // as Application has it; the root alone if a condition refused it
    NodeId root = -1;
    Decision decision;
};

struct RewriteTrace {
    std::vector<AppliedRule> applied; // every entry of the book, in its order; the time is that of
                                      // looking, too
    std::string stopReason;           // "fixpoint", or "limit: ..."
    std::vector<Application> applications; // in order
    std::vector<RulesInCircle> circles;
    std::vector<NotApplied> notApplied; // by entry and root, not of bodies; the first ten thousand
    Decisions decisions;
};

struct RewriteOptions {
    CancelToken cancel;
    std::size_t applications = 200000; // and 100 more for each operator of the graph
    std::size_t growth = 4;            // times the first number of nodes, and 1000 more
    std::chrono::milliseconds time{60000};
    std::size_t foldBytes = std::size_t(512) << 20; // largest folded constant
    const TargetOffer* offer = nullptr; // of the target; null: what rules want of it is there
    LeftOut leftOut;
};

struct Rewritten {
    GraphPtr graph;
    RewriteTrace trace;
};

Result<Rewritten> rewriteGraph(const GraphPtr& graph, const RuleBook& book,
                               const RewriteOptions& options);

} // namespace fw
