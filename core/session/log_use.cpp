#include "session/log_use.h"

#include "strategy/workload_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

// Names that a record of the group may have.
std::set<std::string> namesOf(const Group& group) {
    std::set<std::string> out{apartFromEachOther};
    for (const Candidate& candidate : group.candidates) {
        out.insert(candidate.implementation);
        if (candidate.by)
            for (const KnobSettings& settings : candidate.by->settings())
                out.insert(nameAt(entryOf(candidate.implementation), settings));
    }
    return out;
}

} // namespace

Decisions staleRecords(const TuningLog& log, const std::string& file, const Graph& graph,
                       const FusionPlan& plan, const Target& target) {
    std::map<std::string, std::set<std::string>> known; // implementations by workload
    for (const Group& group : plan.groups)
        if (group.hasCode() && !group.candidates.empty()) {
            const std::set<std::string> names = namesOf(group);
            for (const std::string& workload :
                 {workloadText(graph, graph.node(group.anchor), target),
                  workloadText(graph, group.anchor, group.nodes, target)})
                known[workload].insert(names.begin(), names.end());
        }
    const std::string machine = workloadMachine(target);
    std::size_t elsewhere = 0, unknown = 0, old = 0;
    std::set<std::string> names;
    for (const TuningRecord& record : log.records) {
        if (!record.workload.ends_with(machine)) {
            ++elsewhere;
            continue;
        }
        const auto one = known.find(record.workload);
        if (one == known.end())
            continue;
        if (!one->second.contains(record.implementation)) {
            ++unknown;
            names.insert(record.implementation);
        } else if (!isOfGroup(record.workload)) {
            ++old;
        }
    }
    Decisions out;
    const auto tell = [&](std::string evidence) {
        out.push_back({file, Verdict::Note, ReasonCode::NotMeasured, std::move(evidence)});
    };
    if (elsewhere > 0)
        tell(fmt::format("{} of {} records {} of another CPU, target or number of threads than{}",
                         elsewhere, log.records.size(), elsewhere == 1 ? "is" : "are", machine));
    if (old > 0)
        tell(fmt::format("{} of {} records {} of an older version, which says nothing of what else "
                         "a group computes: {} where there is none of the group",
                         old, log.records.size(), old == 1 ? "is" : "are",
                         old == 1 ? "it decides" : "they decide"));
    if (unknown > 0) {
        constexpr std::size_t most = 5;
        std::string list;
        for (auto one = names.begin(); one != names.end(); ++one)
            if (static_cast<std::size_t>(std::distance(names.begin(), one)) < most)
                list += (list.empty() ? "" : ", ") + *one;
        if (names.size() > most)
            list += fmt::format(" and {} more", names.size() - most);
        tell(fmt::format("{} of {} records {} of implementations that are not known here: {}",
                         unknown, log.records.size(), unknown == 1 ? "is" : "are", list));
    }
    return out;
}

} // namespace fw
