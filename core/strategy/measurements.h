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

// What a time belongs to: operator, attributes, types of operands and results, which operands are
// constant, code and threads of the target, levels that libraries are held to, and the CPU.
std::string workloadText(const Graph& graph, const Node& node, const Target& target);

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
    // Names of the entry with knobs at other values, of which there are times.
    std::vector<std::string> settings(const std::string& workload, const std::string& entry) const;

private:
    std::map<std::pair<std::string, std::string>, double> m_us;
    std::map<std::string, TimesBySize> m_bySize; // by workload
    std::set<std::pair<std::string, std::string>> m_disturbed;
};

} // namespace fw
