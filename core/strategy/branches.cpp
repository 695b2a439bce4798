// Entries whose guards speak of free dimensions: which of them compute a node at some sizes, and in
// which order they are asked.
#include "strategy/branches.h"

#include "condition/exclusion.h"
#include "expr/simplify.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fw {

namespace {

Exprs assumedIn(const Graph& graph) {
    Exprs out;
    for (const Assumption& assumption : graph.assumptions())
        out.push_back(assumption.condition);
    return out;
}

} // namespace

void reach(Candidate& candidate, const Expr& condition, const Graph& graph, std::string& evidence) {
    const Exprs known = relevantTo(condition, assumedIn(graph));
    candidate.neverHolds = holdsNowhere(condition, known);
    if (candidate.neverHolds) {
        evidence += "; no sizes meet it";
        for (std::size_t i = 0; i < known.size(); ++i)
            evidence += (i == 0 ? ", of which is known " : ", ") + known[i].text();
    } else if (!holdsNowhere(notExpr(condition), known)) {
        candidate.when = simplify(condition);
    }
}

bool Selection::uses(std::string_view entry) const {
    return name == entry || std::any_of(branches.begin(), branches.end(),
                                        [&](const Branch& one) { return one.name == entry; });
}

void compute(Selection& selection, const Candidate& by) {
    selection.implementation = by.by;
    selection.name = by.implementation;
    selection.absorbs = by.absorbs;
}

void chooseBranches(Selection& selection, const std::string& first, const Graph& graph) {
    selection.branches.clear();
    std::vector<std::size_t> order = chosenBefore(selection.candidates);
    for (std::size_t i = 0; i < selection.candidates.size(); ++i)
        if (!first.empty() && selection.candidates[i].implementation == first) {
            std::erase(order, i);
            order.insert(order.begin(), i);
        }
    const Exprs assumed = assumedIn(graph);
    for (Candidate& candidate : selection.candidates)
        if (candidate.verdict == Verdict::Note) {
            candidate.chosen = candidate.branch = false;
            candidate.code = ReasonCode::GuardUndecided;
            candidate.evidence = candidate.guard + "; where it holds another is chosen";
        }
    compute(selection, selection.candidates[selection.plain]);
    Exprs failed; // of the branches so far, of which none holds
    for (const std::size_t i : order) {
        Candidate& candidate = selection.candidates[i];
        Exprs known = relevantTo(*candidate.when, assumed);
        known.insert(known.end(), failed.begin(), failed.end());
        if (holdsNowhere(*candidate.when, known))
            continue;
        candidate.evidence = candidate.guard;
        if (holdsNowhere(notExpr(*candidate.when), known)) {
            candidate.chosen = true;
            selection.candidates[selection.plain].chosen = false;
            compute(selection, candidate);
            break;
        }
        candidate.branch = true;
        Branch& branch = selection.branches.emplace_back();
        branch.implementation = candidate.by;
        branch.name = candidate.implementation;
        branch.absorbs = candidate.absorbs;
        branch.when = *candidate.when;
        failed.push_back(notExpr(*candidate.when));
    }
    if (!first.empty() && !selection.branches.empty())
        selection.source = "pin";
}

void leaveOutBranch(Selection& selection, const std::string& name, const std::string& why,
                    const Workload& anchor) {
    const bool pinned = selection.source == "pin" && !selection.branches.empty();
    const std::string first = pinned ? selection.branches.front().name : std::string();
    for (Candidate& candidate : selection.candidates)
        if (candidate.implementation == name) {
            candidate.verdict = Verdict::No;
            candidate.code = ReasonCode::CannotAbsorb;
            candidate.evidence = why;
            candidate.chosen = candidate.branch = false;
        }
    const bool ofPin = pinned && first == name;
    selection.notices.push_back({anchor.node->name, Verdict::No,
                                 ofPin ? ReasonCode::PinRefused : ReasonCode::CannotAbsorb,
                                 fmt::format("{}, {}", name, why)});
    if (ofPin)
        selection.source = "priority";
    selection.candidates[selection.plain].chosen = true;
    chooseBranches(selection, ofPin ? std::string() : first, *anchor.graph);
}

} // namespace fw
