// Measurements: how long implementations took for a workload, on this machine.
//
// They come from tuning logs (session/tuning_log.h) and decide before priorities do, but only if
// what the priorities would choose was measured as well: a log that knows nothing of a library
// never switches it off. A faster candidate must win by three percent, since times are noisy.
#pragma once

#include "strategy/implementation.h"

#include <map>
#include <optional>
#include <set>

namespace fw {

// What a time of an operator belongs to, whatever else its group computes (logs of the versions 1
// and 2): operator, attributes, types of operands and results, which operands are constant, code
// and threads of the target, levels that libraries are held to, and the CPU.
std::string workloadText(const Graph& graph, const Node& node, const Target& target);
// What a time of a group belongs to: its anchor as above, then every other operator, which reads
// results of those before it by their numbers, in an order that names and places do not change:
//
//     dense(f32[4, 8], const f32[16, 8]) -> f32[4, 16] | bias(0, const f32[16]) | relu(1) | on ...
std::string workloadText(const Graph& graph, NodeId anchor, const std::vector<NodeId>& nodes,
                         const Target& target);
bool isOfGroup(std::string_view workload);

// As the implementation of a group: its operators, as they are planned where they are not held
// together.
inline constexpr const char* apartFromEachOther = "apart";

// A workload of which there are times, found in a graph.
struct MeasuredWorkload {
    std::string text;
    std::vector<NodeId> nodes; // of the group, the anchor first; empty: it says nothing of a group
};

// Microseconds by implementation, at each size of a free dimension of the workload.
struct TimesBySize {
    std::string dim;
    std::map<std::int64_t, std::map<std::string, double>> times;
};

class Measurements {
public:
    static constexpr double margin = 0.03;

    // A later time of the same pair replaces the earlier one.
    void add(const std::string& workload, const std::string& implementation, double us);
    // Measured, but beside other work: it decides nothing, and no earlier time is given up for it.
    void addDisturbed(const std::string& workload, const std::string& implementation);
    // At one size of a dimension that is free in the workload. Of several dimensions the last one
    // that was measured along counts.
    void addAt(const std::string& workload, const std::string& dim, std::int64_t size,
               const std::string& implementation, double us);
    const TimesBySize* bySize(const std::string& workload) const; // null: there are none
    bool onlyDisturbed(const std::string& workload, const std::string& implementation) const;
    // Microseconds; nullopt: not measured.
    std::optional<double> find(const std::string& workload,
                               const std::string& implementation) const;
    // Microseconds by implementation.
    std::map<std::string, double> times(const std::string& workload) const;
    // Of the measured groups with this anchor that the graph has there, and that compute all of
    // `nodes`, the largest; else the operator alone, of an older log. nullopt: there is neither.
    // Groups that were measured apart, too, are made before others grow: of one node, they are not
    // meant.
    std::optional<MeasuredWorkload> around(const Graph& graph, NodeId anchor,
                                           const std::vector<NodeId>& nodes,
                                           const Target& target) const;
    // All such groups, the largest first.
    std::vector<MeasuredWorkload> groupsAround(const Graph& graph, NodeId anchor,
                                               const std::vector<NodeId>& nodes,
                                               const Target& target) const;
    // Names of the entry with knobs at other values, of which there are times.
    std::vector<std::string> settings(const std::string& workload, const std::string& entry) const;

private:
    std::map<std::pair<std::string, std::string>, double> m_us;
    std::map<std::string, TimesBySize> m_bySize; // by workload
    std::set<std::pair<std::string, std::string>> m_disturbed;
    std::set<std::string> m_workloads;
};

} // namespace fw
