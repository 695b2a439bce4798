#include "snapshot/time_changes.h"

#include "snapshot/group_pairs.h"
#include "snapshot/time_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace fw::snapshot {

namespace {

// The time of a group: of all its rows, with the spreads of all. A run that says no spread of a row
// has that of the whole.
struct GroupTime {
    double us = 0, iqrUs = 0;
    bool disturbed = false;
    bool known = false;

    void add(const ProfileRow& row, const ProfileDocument& of) {
        us += row.medianUs;
        iqrUs += row.iqrUs.value_or(row.medianUs * of.iqrPercent / 100);
        disturbed = disturbed || row.disturbed;
        known = true;
    }
    void add(const GroupTime& other) {
        us += other.us;
        iqrUs += other.iqrUs;
        disturbed = disturbed || other.disturbed;
        known = known || other.known;
    }
};

using GroupTimes = std::map<int, GroupTime>; // by the number of the group

GroupTimes timesOf(const ProfileDocument& run) {
    GroupTimes out;
    for (const ProfileRow& row : run.rows)
        if (row.groupId >= 0)
            out[row.groupId].add(row, run);
    return out;
}

GroupTime sumOfRows(const ProfileDocument& run) {
    GroupTime out;
    for (const ProfileRow& row : run.rows)
        out.add(row, run);
    return out;
}

GroupTime endToEndOf(const ProfileDocument& run) {
    return {run.endToEndMs * 1e3, run.endToEndMs * 1e3 * run.iqrPercent / 100, run.disturbed, true};
}

TimeDifference between(const GroupTime& before, const GroupTime& after) {
    TimeDifference out;
    if (before.known)
        out.beforeUs = before.us;
    if (after.known)
        out.afterUs = after.us;
    out.noiseUs = (before.iqrUs + after.iqrUs) / 2;
    if (!before.known || !after.known)
        return out;
    if (before.disturbed || after.disturbed)
        out.code = codeText(ReasonCode::TimesDisturbed);
    else if (std::abs(after.us - before.us) <= out.noiseUs)
        out.code = codeText(ReasonCode::WithinNoise);
    return out;
}

// What the groups of a run are paired by, as a plan: without a name, so origins count.
FuseDocument planOf(const ProfileDocument& run) {
    std::map<int, GroupRecord> groups;
    for (const ProfileRow& row : run.rows) {
        if (row.groupId < 0)
            continue;
        GroupRecord& group = groups[row.groupId];
        if (group.id < 0 || group.nodes.empty())
            group.name = row.group;
        group.id = row.groupId;
        for (const ShareRecord& node : row.nodes) {
            group.nodes.push_back(node.name);
            group.nodeIds.push_back(node.id);
        }
        group.origins.insert(group.origins.end(), row.origins.begin(), row.origins.end());
    }
    FuseDocument out;
    for (auto& [id, group] : groups)
        out.groups.push_back(std::move(group));
    return out;
}

// "f32" and "[1, 64]" of "f32[1, 64]".
std::pair<std::string, std::string> halvesOf(const std::string& type) {
    const std::size_t bracket = std::min(type.find('['), type.size());
    return {type.substr(0, bracket), type.substr(bracket)};
}

// "-mcpu=x86-64-v3" of a target.
std::string levelOf(const std::string& target) {
    const std::size_t at = target.find("-mcpu=");
    return at == std::string::npos ? std::string() : target.substr(at, target.find(' ', at) - at);
}

std::string orNone(const std::string& text) {
    return text.empty() ? "not told" : text;
}

Decision differing(ReasonCode code, const std::string& evidence) {
    return {"baseline", Verdict::No, code, evidence};
}

DecisionRecord recordOf(const Decision& decision) {
    DecisionRecord out;
    out.from = decision.subject;
    out.verdict = decision.verdict == Verdict::No ? DecisionVerdict("no") : DecisionVerdict("note");
    out.code = codeText(decision.code);
    out.sentence = decision.sentence();
    return out;
}

} // namespace

Decisions notComparable(const ProfileDocument& baseline, const ProfileDocument& run) {
    Decisions out;
    for (const auto& [name, type] : run.inputs) {
        const auto was = baseline.inputs.find(name);
        if (was == baseline.inputs.end() || was->second == type)
            continue;
        const bool sizes = halvesOf(was->second).second != halvesOf(type).second;
        out.push_back(differing(sizes ? ReasonCode::OtherSizes : ReasonCode::OtherPrecision,
                                fmt::format("{} is {} and was {}", name, type, was->second)));
        break;
    }
    for (const auto& [name, size] : run.dims)
        if (const auto was = baseline.dims.find(name);
            out.empty() && was != baseline.dims.end() && was->second != size)
            out.push_back(differing(ReasonCode::OtherSizes,
                                    fmt::format("{} is {} and was {}", name, size, was->second)));
    if (baseline.threads != run.threads)
        out.push_back(differing(ReasonCode::OtherThreads,
                                fmt::format("{} and were {}", run.threads, baseline.threads)));
    if (baseline.machine != run.machine)
        out.push_back(
            differing(ReasonCode::OtherMachine,
                      fmt::format("{} and was {}", orNone(run.machine), orNone(baseline.machine))));
    else if (levelOf(baseline.target) != levelOf(run.target))
        out.push_back(differing(ReasonCode::OtherMachine,
                                fmt::format("{} and was {}", orNone(levelOf(run.target)),
                                            orNone(levelOf(baseline.target)))));
    std::set<std::string> names;
    for (const ProfileRow& row : baseline.rows)
        for (const ShareRecord& node : row.nodes)
            names.insert(node.name);
    const auto isThere = [&](const ProfileRow& row) {
        return std::any_of(row.nodes.begin(), row.nodes.end(),
                           [&](const ShareRecord& node) { return names.contains(node.name); });
    };
    if (std::none_of(run.rows.begin(), run.rows.end(), isThere))
        out.push_back(
            differing(ReasonCode::OtherModel, fmt::format("{} and {}", run.model, baseline.model)));
    if (out.empty() && (baseline.disturbed || run.disturbed))
        out.push_back({"baseline", Verdict::Note, ReasonCode::TimesDisturbed,
                       !run.disturbed        ? "end to end, of the baseline"
                       : !baseline.disturbed ? "end to end, of this run"
                                             : "end to end, of both runs"});
    return out;
}

TimesComparison compareTimes(const ProfileDocument& baseline, const ProfileDocument& run) {
    TimesComparison out;
    out.model = baseline.model;
    out.target = baseline.target;
    out.machine = baseline.machine;
    out.taken = baseline.taken;
    out.threads = baseline.threads;
    for (const Decision& decision : notComparable(baseline, run))
        out.apart.push_back(recordOf(decision));
    out.endToEnd = between(endToEndOf(baseline), endToEndOf(run));
    out.sum = between(sumOfRows(baseline), sumOfRows(run));
    const FuseDocument before = planOf(baseline), after = planOf(run);
    const GroupTimes timesBefore = timesOf(baseline), timesAfter = timesOf(run);
    const GroupPairs pairs(before, after);
    for (const GroupPair& pair : pairs.all()) {
        GroupDifference& one = out.groups.emplace_back();
        GroupTime was, now;
        for (const std::size_t g : pair.before) {
            one.before.push_back(before.groups[g].name);
            was.add(timesBefore.at(before.groups[g].id));
        }
        for (const std::size_t g : pair.after) {
            one.groupIds.push_back(after.groups[g].id);
            one.groups.push_back(after.groups[g].name);
            now.add(timesAfter.at(after.groups[g].id));
        }
        one.time = between(was, now);
    }
    return out;
}

const GroupDifference* differenceOf(const TimesComparison& times, int group) {
    for (const GroupDifference& one : times.groups)
        if (std::find(one.groupIds.begin(), one.groupIds.end(), group) != one.groupIds.end())
            return &one;
    return nullptr;
}

void addTimes(DiffDocument& diff, const ProfileDocument& before, const ProfileDocument& after) {
    const GroupTimes was = timesOf(before), now = timesOf(after);
    // Views are not measured: they take nothing.
    const auto sum = [](const GroupTimes& times, const std::vector<int>& groups) {
        GroupTime out;
        for (const int id : groups)
            if (const auto found = times.find(id); found != times.end())
                out.add(found->second);
        return out;
    };
    for (auto* list : {&diff.changed, &diff.added, &diff.removed, &diff.same})
        for (ChangeRecord& change : *list)
            change.measured = between(sum(was, change.beforeIds), sum(now, change.afterIds));
    diff.measured = between(sumOfRows(before), sumOfRows(after));
    diff.apart.clear();
    for (const Decision& decision : notComparable(before, after))
        diff.apart.push_back(recordOf(decision));
}

ChangeRecord sumOf(const DiffDocument& diff, const std::vector<int>& groups) {
    const std::set<int> wanted(groups.begin(), groups.end());
    ChangeRecord out;
    GroupTime was, now;
    out.estBeforeUs = out.estAfterUs = 0;
    const auto add = [](std::optional<double>& sum, const std::optional<double>& one, bool any) {
        if (sum && one)
            *sum += *one;
        else if (any)
            sum.reset();
    };
    for (const auto* list : {&diff.changed, &diff.added, &diff.same})
        for (const ChangeRecord& change : *list) {
            if (std::none_of(change.afterIds.begin(), change.afterIds.end(),
                             [&](int id) { return wanted.contains(id); }))
                continue;
            out.before.insert(out.before.end(), change.before.begin(), change.before.end());
            out.after.insert(out.after.end(), change.after.begin(), change.after.end());
            out.afterIds.insert(out.afterIds.end(), change.afterIds.begin(), change.afterIds.end());
            add(out.estBeforeUs, change.estBeforeUs, !change.before.empty());
            add(out.estAfterUs, change.estAfterUs, true);
            if (!change.measured)
                continue;
            const TimeDifference& time = *change.measured;
            const bool disturbed = time.code == codeText(ReasonCode::TimesDisturbed);
            was.add(
                {time.beforeUs.value_or(0), time.noiseUs, disturbed, time.beforeUs.has_value()});
            now.add({time.afterUs.value_or(0), time.noiseUs, disturbed, time.afterUs.has_value()});
        }
    if (was.known || now.known)
        out.measured = between(was, now);
    return out;
}

std::string differenceText(const TimeDifference& difference) {
    if (!difference.beforeUs || !difference.afterUs)
        return {};
    const double by = *difference.afterUs - *difference.beforeUs;
    const char* sign = difference.code == codeText(ReasonCode::WithinNoise) ? "± "
                       : by < 0                                             ? "− "
                                                                            : "+ ";
    const std::string share =
        *difference.beforeUs > 0
            ? fmt::format(" ({:.0f} %)", 100 * std::abs(by) / *difference.beforeUs)
            : std::string();
    return sign + timeText(std::abs(by)) + share +
           (difference.code == codeText(ReasonCode::TimesDisturbed) ? " *" : "");
}

std::string differenceSentence(const TimeDifference& difference) {
    const auto text = [](const std::optional<double>& us) {
        return us ? timeText(*us) : std::string("not measured");
    };
    const std::string times = fmt::format("{} → {}, noise {}", text(difference.beforeUs),
                                          text(difference.afterUs), timeText(difference.noiseUs));
    for (const ReasonCode code : {ReasonCode::TimesDisturbed, ReasonCode::WithinNoise})
        if (difference.code == codeText(code))
            return fmt::format("{} {}", codeText(code),
                               Decision{{}, Verdict::Note, code, times}.sentence());
    return times;
}

std::string takenText(const std::string& machine, const std::string& taken) {
    std::string time = taken;
    if (time.size() == 20) // 2026-11-28T18:40:12Z
        time = time.substr(0, 10) + " " + time.substr(11, 5) + " UTC";
    return machine + (machine.empty() || time.empty() ? "" : ", ") + time;
}

} // namespace fw::snapshot
