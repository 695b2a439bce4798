// The rule driver: books of rewrites applied to a graph until nothing changes, with a trace and
// limits.
//
// Rules run in the order of the book; a sweep applies every match of a rule that does not touch
// what an earlier match of the same sweep replaced. A driver that stops early says why and names
// the rules that kept firing. Built-in rewrites (fold_constants, cse) are entries of the book like
// rules.
#pragma once

#include "base/cancel.h"
#include "base/decision.h"
#include "pattern/match.h"

#include <chrono>

namespace fw {

// Rules, patterns and chains of one or more files, in order. A value; the trees are shared.
struct RuleBook {
    std::vector<std::shared_ptr<const DeclarationTree>>
        entries; // RuleTree and BuiltinTree, in order
    std::vector<std::shared_ptr<const PatternDeclTree>> patterns;

    std::map<const DeclarationTree*, std::string> files; // of the entries, where they have one

    // Passes over what is none of these.
    void add(const std::vector<DeclarationPtr>& declarations, const std::string& file = {});
    std::string place(const DeclarationTree& entry) const; // "squeeze at mine.fw:3"
    PatternTable table() const;
};

Result<RuleBook> standardRules(); // resources/library/simplify.fw
// Not checked; refused with the first error of the grammar.
Result<RuleBook> parseRules(std::string_view text, const std::string& file);

// A decision of the trace that a user must hear of: an application was undone, rewriting stopped
// before it was done.
bool wentWrong(const Decision& decision);

struct AppliedRule {
    std::string rule;
    std::size_t count = 0;
    double ms = 0;
};

struct RewriteTrace {
    std::vector<AppliedRule> applied; // every entry of the book, in its order; the time is that of
                                      // looking, too
    std::string stopReason;           // "fixpoint", or "limit: ..."
    std::vector<std::string> lines;   // one per application
    Decisions decisions;
};

struct RewriteOptions {
    CancelToken cancel;
    int sweeps = 50;
    std::size_t growth = 4; // times the first number of nodes, and 1000 more
    std::chrono::milliseconds time{60000};
    std::size_t foldBytes = std::size_t(512) << 20; // largest folded constant
};

struct Rewritten {
    GraphPtr graph;
    RewriteTrace trace;
};

Result<Rewritten> rewriteGraph(const GraphPtr& graph, const RuleBook& book,
                               const RewriteOptions& options);

} // namespace fw
