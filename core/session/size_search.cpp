#include "session/size_search.h"

namespace fw {

bool holdsAt(const std::optional<Expr>& when, const std::string& dim, std::int64_t size) {
    if (!when)
        return true;
    const std::optional<std::int64_t> value = evalIndex(*when, {{Symbol(dim), size}});
    return value && *value != 0;
}

std::string chosenAt(const Contest& contest, std::int64_t size) {
    if (contest.next != nullptr)
        return apartFromEachOther;
    if (contest.group->kind == GroupKind::Choice)
        for (const Group& way : contest.group->parts)
            if (holdsAt(way.when, contest.dim, size))
                return way.implementation;
    return contest.group->implementation;
}

std::set<std::int64_t> firstSizes(const RunningContest& run, const snapshot::SizeRange& range) {
    std::set<std::int64_t> out{range.least, range.most};
    for (std::int64_t size = 1; size < range.most; size *= 2)
        if (size > range.least)
            out.insert(size);
    const auto ready = [&](std::int64_t size) {
        std::vector<bool> all;
        for (const Guarded& one : run.contenders)
            all.push_back(holdsAt(one.when, run.contest.dim, size));
        return all;
    };
    const std::vector<std::int64_t> sizes(out.begin(), out.end());
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        std::int64_t below = sizes[i], above = sizes[i + 1];
        if (ready(below) == ready(above))
            continue;
        while (above - below > 1) {
            const std::int64_t middle = below + (above - below) / 2;
            (ready(middle) == ready(sizes[i]) ? below : above) = middle;
        }
        out.insert({below, above});
    }
    return out;
}

std::optional<std::int64_t> nextSize(const RunningContest& run) {
    const auto isClear = [](const MeasuredSize& at, const std::string& other) {
        const auto us = at.us.find(other);
        return us == at.us.end() || us->second > at.fastestUs * (1 + Measurements::margin);
    };
    for (auto one = run.measured.begin(); one != run.measured.end(); ++one) {
        const auto next = std::next(one);
        if (next == run.measured.end())
            break;
        const MeasuredSize &a = one->second, &b = next->second;
        if (next->first - one->first > 1 && !a.fastest.empty() && !b.fastest.empty() &&
            a.fastest != b.fastest && (isClear(a, b.fastest) || isClear(b, a.fastest)))
            return one->first + (next->first - one->first) / 2;
    }
    return std::nullopt;
}

} // namespace fw
