// Of the candidates that could compute a node, the one that does: measurement, priority, cost,
// order.
#include "strategy/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

// A call leaves to others what own code takes along, so its estimate must be this much lower.
constexpr double libraryGain = 0.1;

// Indices of those of `among` that cost the least. A cost that is no number is above all others, so
// that there is always one.
std::vector<std::size_t> cheapestOf(const Candidates& all, const std::vector<std::size_t>& among) {
    const auto costs = [&](std::size_t i) {
        const bool library = all[i].by->library() != nullptr;
        const double us = all[i].estimateUs / (library ? 1 - libraryGain : 1);
        return std::isnan(us) ? HUGE_VAL : us;
    };
    double least = costs(among.front());
    for (const std::size_t i : among)
        least = std::min(least, costs(i));
    std::vector<std::size_t> out;
    std::copy_if(among.begin(), among.end(), std::back_inserter(out),
                 [&](std::size_t i) { return costs(i) <= least * (1 + 1e-9); });
    return out;
}

std::string estimatesOf(const Candidates& all, const std::vector<std::size_t>& among) {
    std::string out;
    for (const std::size_t i : among)
        out += fmt::format("{}{} {:.3g} us", out.empty() ? "" : ", ", all[i].implementation,
                           all[i].estimateUs);
    return out;
}

// The priorities that count: of calls by cost, that of our code where the shipped book says it.
std::vector<int> prioritiesOf(const Candidates& all, const std::vector<std::size_t>& ready) {
    std::optional<int> ours;
    for (const std::size_t i : ready)
        if (all[i].by->library() == nullptr && all[i].prioritized == BookOrigin::Shipped)
            ours = std::max(ours.value_or(all[i].priority), all[i].priority);
    std::vector<int> out;
    for (const std::size_t i : ready)
        out.push_back(all[i].byCost ? ours.value_or(all[i].priority) : all[i].priority);
    return out;
}

Choice byPriority(const Candidates& all, const std::vector<std::size_t>& ready) {
    Choice out;
    const std::vector<int> priorities = prioritiesOf(all, ready);
    const int highest = *std::max_element(priorities.begin(), priorities.end());
    std::vector<std::size_t> equal;
    for (std::size_t r = 0; r < ready.size(); ++r)
        if (priorities[r] == highest)
            equal.push_back(ready[r]);
    const std::vector<std::size_t> cheapest = cheapestOf(all, equal);
    out.index = cheapest.front();
    const std::string& name = all[out.index].implementation;
    if (ready.size() == 1) {
        out.why = ReasonCode::ChosenOnly;
        out.evidence = name;
        out.source = "only";
    } else if (equal.size() == 1) {
        out.evidence = fmt::format("{} with priority {}", name, highest);
        if (const Candidate* other = cheaperReady(all, all[out.index]))
            out.evidence += fmt::format(", {:.3g} us where {} with priority {} needs {:.3g} us",
                                        all[out.index].estimateUs, other->implementation,
                                        other->priority, other->estimateUs);
        out.source = "priority";
    } else if (cheapest.size() == 1) {
        out.why = ReasonCode::ChosenCost;
        out.evidence = estimatesOf(all, equal);
        const bool ownBefore = all[out.index].by->library() == nullptr &&
                               std::any_of(equal.begin(), equal.end(), [&](std::size_t i) {
                                   return all[i].estimateUs < all[out.index].estimateUs;
                               });
        if (ownBefore)
            out.evidence +=
                "; a library must take a tenth less than code of ours, which fuses more";
        out.source = "cost";
    } else if (std::none_of(cheapest.begin() + 1, cheapest.end(),
                            [&](std::size_t i) { return all[i].level == all[out.index].level; })) {
        // The others stand under keys that say less about the target.
        out.evidence = fmt::format("{} with priority {}, {} before others", name, highest,
                                   all[out.index].level);
        out.source = "priority";
    } else {
        out.why = ReasonCode::ChosenOrder;
        out.evidence = fmt::format("{} of {} with priority {}", name, cheapest.size(), highest);
        out.source = "order";
        out.notice = Decision{{}, Verdict::Note, out.why, out.evidence};
    }
    return out;
}

// What the log says, unless it agrees or knows too little. `incumbent`: by priority.
std::optional<Choice> byMeasurement(const Candidates& all, const std::vector<std::size_t>& ready,
                                    const Choice& incumbent) {
    std::optional<std::size_t> fastest;
    std::string times, disturbed;
    for (const std::size_t i : ready) {
        const Candidate& candidate = all[i];
        if (candidate.disturbed)
            disturbed += (disturbed.empty() ? "" : ", ") + candidate.implementation;
        if (!candidate.measuredUs)
            continue;
        times += fmt::format("{}{} {:.3g} us", times.empty() ? "" : ", ", candidate.implementation,
                             *candidate.measuredUs);
        if (!fastest || *candidate.measuredUs < *all[*fastest].measuredUs)
            fastest = i;
    }
    if (!fastest && disturbed.empty())
        return std::nullopt;
    const Candidate& before = all[incumbent.index];
    Choice out = incumbent;
    if (!before.measuredUs) {
        const std::string why = disturbed.empty()
                                    ? before.implementation + " is not in it"
                                    : "other work disturbed the measurement of " + disturbed;
        out.notice = Decision{
            {}, Verdict::Note, ReasonCode::NotMeasured, why + (times.empty() ? "" : ", " + times)};
        return out;
    }
    if (*fastest != incumbent.index &&
        *all[*fastest].measuredUs >= *before.measuredUs * (1 - Measurements::margin)) {
        out.why = ReasonCode::NotMeasured;
        out.evidence = fmt::format(
            "{} is less than {:.0f} % faster, which does not decide, and {} goes by {}: {}",
            all[*fastest].implementation, 100 * Measurements::margin, before.implementation,
            incumbent.source, times);
        return out;
    }
    out.index = *fastest;
    out.why = ReasonCode::ChosenMeasured;
    out.evidence = times;
    out.source = "log";
    out.notice.reset();
    return out;
}

} // namespace

bool isUntuned(const Candidates& candidates) {
    std::size_t ways = 0;
    for (const Candidate& candidate : candidates) {
        if (candidate.measuredUs || candidate.disturbed)
            return false;
        if (candidate.verdict == Verdict::Yes && candidate.by)
            ways += std::max<std::size_t>(candidate.by->settings().size(), 1);
    }
    return ways > 1;
}

bool Selection::uses(std::string_view entry) const {
    return name == entry || std::any_of(branches.begin(), branches.end(),
                                        [&](const Branch& one) { return one.name == entry; });
}

const Candidate* cheaperReady(const Candidates& candidates, const Candidate& chosen) {
    const Candidate* out = nullptr;
    double least = chosen.estimateUs * (1 - Measurements::margin);
    for (const Candidate& other : candidates)
        if (other.verdict == Verdict::Yes && other.by && !other.atSetting &&
            other.estimateUs < least) {
            least = other.estimateUs;
            out = &other;
        }
    return out;
}

std::vector<std::size_t> chosenBefore(const Candidates& candidates) {
    Candidates all = candidates;
    for (Candidate& candidate : all)
        if (candidate.verdict == Verdict::Note)
            candidate.verdict = Verdict::Yes;
    std::vector<std::size_t> out;
    for (;;) {
        const std::optional<Choice> choice = chooseAmong(all);
        if (!choice || candidates[choice->index].verdict == Verdict::Yes)
            return out;
        out.push_back(choice->index);
        all[choice->index].verdict = Verdict::No;
    }
}

std::optional<Choice> chooseAmong(const Candidates& candidates) {
    std::vector<std::size_t> ready, entries;
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (candidates[i].verdict == Verdict::Yes && candidates[i].by) {
            ready.push_back(i);
            if (!candidates[i].atSetting)
                entries.push_back(i);
        }
    if (ready.empty())
        return {};
    const Choice incumbent = byPriority(candidates, entries.empty() ? ready : entries);
    return byMeasurement(candidates, ready, incumbent).value_or(incumbent);
}

} // namespace fw
