#include "session/tune.h"

#include "base/hash.h"
#include "session/group_times.h"
#include "session/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fw {

namespace {

using namespace snapshot;

struct Contest {
    const Group* group = nullptr;
    std::string workload;
    std::int64_t count = 1;
    std::vector<Contender> contenders;
};

// The candidates that are ready, the chosen one first, then each with other values of its knobs.
std::vector<std::string> contendersOf(const Group& group) {
    std::vector<std::string> out = readyCandidates(group);
    for (const Candidate& candidate : group.candidates)
        if (candidate.verdict == Verdict::Yes && candidate.by && !candidate.atSetting)
            for (const KnobSettings& settings : candidate.by->settings())
                if (std::string name = nameAt(candidate.implementation, settings);
                    std::find(out.begin(), out.end(), name) == out.end())
                    out.push_back(std::move(name));
    return out;
}

// Distinct workloads in the order of the groups.
std::vector<Contest> contestsOf(const Graph& graph, const FusionPlan& plan, const Target& target) {
    std::vector<Contest> out;
    for (const Group& group : plan.groups) {
        if (!group.hasCode() || contendersOf(group).size() < 2)
            continue;
        std::string workload = workloadText(graph, graph.node(group.anchor), target);
        const auto known = std::find_if(out.begin(), out.end(), [&](const Contest& contest) {
            return contest.workload == workload;
        });
        if (known != out.end())
            ++known->count;
        else
            out.push_back({&group, std::move(workload), 1, {}});
    }
    return out;
}

// A part of the workloads, told by their texts alone: whatever the logs and the order of others
// say, no two shards have one in common, and all of them together have each.
struct Shard {
    std::uint64_t index = 0, count = 1;

    bool has(const std::string& workload) const {
        return count == 1 || hashOf(workload).low % count == index;
    }
};

Result<Shard> parseShard(const std::string& text) {
    if (text.empty())
        return Shard();
    constexpr std::uint64_t most = 1'000'000;
    Shard out;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, out.index);
    if (first.ec == std::errc() && first.ptr != end && *first.ptr == '/') {
        const auto second = std::from_chars(first.ptr + 1, end, out.count);
        if (second.ec == std::errc() && second.ptr == end && out.index >= 1 &&
            out.index <= out.count && out.count <= most) {
            --out.index;
            return out;
        }
    }
    return makeDiag(
        DiagCode::Usage,
        fmt::format("--shard {} is no part: I/N, with I from 1 to N and N up to {}", text, most));
}

Status prepare(Pipeline& pipeline, const Graph& graph, const FusionPlan& plan, Contest& contest,
               std::uint64_t seed, std::vector<std::string>& notices, const Context& context) {
    FW_TRY(const GraphPtr part, graphOf(graph, {contest.group}));
    const ApartRuns runs{.border = borderOf(graph, plan, *part)};
    const std::string& anchor = graph.node(contest.group->anchor).name;
    // The chosen one, which comes first, is what the others are compared with.
    std::vector<TensorData> operands, wanted;
    for (const std::string& name : contendersOf(*contest.group)) {
        Result<Apart> made = candidateApart(pipeline, part, anchor, name, "tune", context, runs);
        if (!made) {
            if (made.diag().code == DiagCode::Cancelled)
                return made.takeDiag();
            if (made.diag().code != DiagCode::ScheduleIllegal) // it is no candidate here
                notices.push_back(fmt::format("{} by {} was not measured: {}", contest.group->name,
                                              name, made.diag().text()));
            continue;
        }
        LoadedModule& module = *made->module;
        if (operands.empty()) {
            FW_TRY(operands, module.randomInputs(seed, {}));
        }
        FW_TRY(const std::vector<TensorData> got, module.run(operands));
        if (wanted.empty())
            wanted = got;
        if (!sameOutputs(*part, got, wanted)) {
            notices.push_back(fmt::format("{} by {} computes something else than by {}",
                                          contest.group->name, name,
                                          contest.group->implementation));
            continue;
        }
        FW_CHECK(module.setInputs(operands));
        contest.contenders.push_back({name, made.take(), {}});
    }
    return {};
}

void report(const Contest& contest, TuneDocument& out) {
    const auto count = static_cast<double>(contest.count);
    const auto chosen = [&](const Contender& one) {
        return one.implementation == contest.group->implementation;
    };
    const auto before = std::find_if(contest.contenders.begin(), contest.contenders.end(), chosen);
    if (before == contest.contenders.end() || contest.contenders.size() < 2)
        return;
    auto now = before;
    std::string disturbed;
    for (auto one = contest.contenders.begin(); one != contest.contenders.end(); ++one) {
        if (one->disturbed())
            disturbed += (disturbed.empty() ? "" : ", ") + one->implementation;
        else if (!before->disturbed() &&
                 one->time.median() < before->time.median() * (1 - Measurements::margin) &&
                 (now == before || one->time.median() < now->time.median()))
            now = one;
    }
    if (!disturbed.empty()) {
        const Decision left{contest.group->name, Verdict::Note, ReasonCode::NotMeasured,
                            "other work disturbed the measurement of " + disturbed};
        out.notices.push_back(
            fmt::format("{} {}: {}", codeText(left.code), left.subject, left.sentence()));
    }
    ++out.measured;
    out.improved += now != before;
    out.beforeMs += count * before->time.median() / 1000;
    out.afterMs += count * now->time.median() / 1000;
    for (const Contender& one : contest.contenders)
        out.rows.push_back({contest.group->name, one.implementation, one.time.median(),
                            contest.count, &one == &*before, &one == &*now, one.disturbed()});
}

} // namespace

Result<TuneDocument> tuneModel(Pipeline& pipeline, const std::string& log,
                               const Arguments& arguments, const Context& context) {
    FW_TRY(const Shard shard, parseShard(arguments.shard));
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    FW_TRY(const Target* target, pipeline.target());
    TuneDocument out;
    out.model = arguments.model;
    out.target = target->text;
    out.log = log;
    FW_CHECK(appendTuningLog(log, {})); // of a shard without a workload the file is there, too
    std::vector<Contest> contests = contestsOf(*source->graph, *plan, *target);
    out.workloads = static_cast<std::int64_t>(contests.size());
    std::erase_if(contests, [&](const Contest& contest) { return !shard.has(contest.workload); });
    std::size_t done = 0;
    for (Contest& contest : contests) {
        context.report("tune", contest.group->name, done++, contests.size());
        FW_CHECK(prepare(pipeline, *source->graph, *plan, contest,
                         static_cast<std::uint64_t>(arguments.seed.value_or(1)), out.notices,
                         context));
        FW_CHECK(race(contest.contenders, contest.group->implementation,
                      {.seconds = arguments.seconds.value_or(0.5)}, context));
        report(contest, out);
        std::vector<TuningRecord> records;
        for (const Contender& one : contest.contenders)
            records.push_back({contest.workload, one.implementation, one.time.median(),
                               contest.group->name, one.disturbed()});
        // After every workload: what was measured is kept when the rest is cancelled.
        FW_CHECK(appendTuningLog(log, records));
        contest.contenders.clear();
    }
    return out;
}

} // namespace fw
