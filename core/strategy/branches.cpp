#include "strategy/branches.h"

#include "condition/exclusion.h"
#include "expr/simplify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

Exprs assumedIn(const Graph& graph) {
    Exprs out;
    for (const Assumption& assumption : graph.assumptions())
        out.push_back(assumption.condition);
    return out;
}

} // namespace

void decideBySizes(Candidate& candidate, const Expr& condition, const Graph& graph,
                   std::string& evidence) {
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

namespace {

bool holdsAt(const Candidate& candidate, const std::string& dim, std::int64_t size) {
    if (!candidate.when)
        return true;
    const std::optional<std::int64_t> value = evalIndex(*candidate.when, {{Symbol(dim), size}});
    return value && *value != 0;
}

// Sizes from one to another at which one candidate is the fastest.
struct Won {
    std::int64_t from = 0, to = 0;
    std::size_t by = 0;
    std::string times;
};

// At one size, of those that have a time there.
class AtSize {
public:
    AtSize(const Candidates& all, const std::string& dim, std::int64_t size,
           const std::map<std::string, double>& times)
        : m_all(all), m_times(times) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].verdict != Verdict::No && all[i].by && holdsAt(all[i], dim, size) &&
                times.contains(all[i].implementation))
                m_ready.push_back(i);
    }

    bool has(std::size_t i) const {
        return std::find(m_ready.begin(), m_ready.end(), i) != m_ready.end();
    }
    double us(std::size_t i) const { return m_times.at(m_all[i].implementation); }
    // `incumbent` has a time.
    std::size_t fastest(std::size_t incumbent) const {
        const std::size_t best =
            *std::min_element(m_ready.begin(), m_ready.end(),
                              [&](std::size_t a, std::size_t b) { return us(a) < us(b); });
        return us(best) < us(incumbent) * (1 - Measurements::margin) ? best : incumbent;
    }
    std::string text() const {
        std::string out;
        for (const std::size_t i : m_ready)
            out += fmt::format("{}{} {:.1f} us", out.empty() ? "" : ", ", m_all[i].implementation,
                               us(i));
        return out;
    }

private:
    const Candidates& m_all;
    const std::map<std::string, double>& m_times;
    std::vector<std::size_t> m_ready;
};

std::vector<Won> wonOf(const Candidates& candidates, std::size_t plain, const TimesBySize& known) {
    const std::vector<std::size_t> order = chosenBefore(candidates);
    std::vector<Won> out;
    bool goesOn = false; // the last one as far as here
    for (const auto& [size, times] : known.times) {
        if (goesOn)
            out.back().to = size - 1;
        goesOn = false;
        const auto before = std::find_if(order.begin(), order.end(), [&, at = size](std::size_t i) {
            return holdsAt(candidates[i], known.dim, at);
        });
        const std::size_t incumbent = before == order.end() ? plain : *before;
        const AtSize here(candidates, known.dim, size, times);
        if (!here.has(incumbent))
            continue;
        std::size_t by = here.fastest(incumbent);
        // Of two that are alike the one of the size before: noise makes no branches.
        if (!out.empty() && out.back().to == size - 1 && here.has(out.back().by) &&
            here.us(out.back().by) <= here.us(by) * (1 + Measurements::margin))
            by = out.back().by;
        out.push_back({size, size, by, fmt::format("at {} = {} {}", known.dim, size, here.text())});
        goesOn = true;
    }
    return out;
}

// Where the log does not decide.
Exprs notMeasured(const Candidates& candidates) {
    Exprs out;
    for (const Candidate& candidate : candidates)
        if (candidate.wins && candidate.verdict != Verdict::No)
            out.push_back(notExpr(*candidate.wins));
    return out;
}

// Where the candidate is chosen if none before it is; `isBefore` the plain one where nothing was
// measured.
Expr branchCondition(const Candidate& candidate, bool isBefore, const Exprs& notMeasured) {
    Expr out = boolExpr(isBefore);
    for (const Expr& other : notMeasured)
        out = andExpr(out, other);
    if (candidate.wins)
        out = isBefore ? orExpr(*candidate.wins, out) : *candidate.wins;
    return simplify(candidate.when ? andExpr(*candidate.when, out) : out);
}

// `limited`: at sizes that were measured the log decides.
std::string branchWhere(const Candidate& candidate, bool limited) {
    const std::string guard =
        candidate.when ? fmt::format("{} ({})", candidate.guard, candidate.place) : std::string();
    if (candidate.wins)
        return fmt::format("{}{} (log)", guard.empty() ? "" : guard + ", of sizes in the log ",
                           candidate.winsWhere);
    return guard + (limited ? " outside the sizes in the log" : "");
}

} // namespace

bool readTimesBySize(Candidates& candidates, std::size_t plain, const TimesBySize& known) {
    const Expr size = varExpr(Symbol(known.dim));
    std::vector<Won> joined;
    for (Won& one : wonOf(candidates, plain, known)) {
        if (!joined.empty() && joined.back().by == one.by && joined.back().to == one.from - 1) {
            joined.back().to = one.to;
            joined.back().times += "; " + one.times;
        } else {
            joined.push_back(std::move(one));
        }
    }
    for (const Won& won : joined) {
        Candidate& candidate = candidates[won.by];
        const Expr here = andExpr(leExpr(Expr(won.from), size), leExpr(size, Expr(won.to)));
        const bool first = !candidate.wins;
        candidate.wins = first ? here : orExpr(*candidate.wins, here);
        candidate.winsWhere +=
            fmt::format("{}{} <= {} <= {}", first ? "" : " or ", won.from, known.dim, won.to);
        candidate.winsBy += (first ? "" : "; ") + won.times;
    }
    return !joined.empty();
}

namespace {

// A candidate, and where it is chosen if none before it is.
struct Condition {
    std::size_t candidate = 0;
    Expr when;
};

// `first`: a pin's; `free`: where the log does not decide.
std::vector<Condition> conditionsOf(const Selection& selection, const std::string& first,
                                    const Exprs& free) {
    const Candidates& all = selection.candidates;
    std::vector<std::size_t> order = chosenBefore(all);
    const std::size_t before = order.size(); // these are where nothing was measured
    const std::set<std::size_t> listed(order.begin(), order.end());
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].wins && all[i].verdict != Verdict::No && i != selection.plain &&
            !listed.contains(i))
            order.push_back(i);
    std::vector<Condition> out;
    for (std::size_t k = 0; k < order.size(); ++k)
        out.push_back({order[k], branchCondition(all[order[k]], k < before, free)});
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!first.empty() && all[i].implementation == first && all[i].when) {
            std::erase_if(out, [&](const Condition& one) { return one.candidate == i; });
            out.insert(out.begin(), {i, *all[i].when});
        }
    return out;
}

// No branch is chosen so far.
void forgetBranches(Selection& selection) {
    selection.branches.clear();
    for (Candidate& candidate : selection.candidates) {
        candidate.branch = false;
        if (candidate.verdict != Verdict::Note)
            continue;
        candidate.chosen = false;
        candidate.code = ReasonCode::GuardUndecided;
        candidate.evidence = candidate.guard + "; where it holds another is chosen";
    }
    selection.take(selection.candidates[selection.plain]);
}

} // namespace

void chooseBranches(Selection& selection, const std::string& first, const Graph& graph) {
    const Exprs free = notMeasured(selection.candidates), assumed = assumedIn(graph);
    const std::vector<Condition> conditions = conditionsOf(selection, first, free);
    forgetBranches(selection);
    Exprs failed; // of the branches so far, of which none holds
    for (const auto& [i, when] : conditions) {
        Candidate& candidate = selection.candidates[i];
        Exprs known = relevantTo(when, assumed);
        known.insert(known.end(), failed.begin(), failed.end());
        if (holdsNowhere(when, known))
            continue;
        candidate.code = ReasonCode::ChosenBySize;
        candidate.where =
            branchWhere(candidate, !free.empty() && candidate.implementation != first);
        candidate.evidence = candidate.where + (candidate.wins ? ": " + candidate.winsBy : "");
        if (holdsNowhere(notExpr(when), known)) {
            candidate.chosen = true;
            selection.candidates[selection.plain].chosen = false;
            selection.take(candidate);
            if (candidate.wins)
                selection.source = "log";
            break;
        }
        candidate.branch = true;
        selection.branches.emplace_back(candidate, when);
        failed.push_back(notExpr(when));
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
