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

class Measurements {
public:
    static constexpr double margin = 0.03;

    // A later time of the same pair replaces the earlier one.
    void add(const std::string& workload, const std::string& implementation, double us);
    // Measured, but beside other work: it decides nothing, and no earlier time is given up for it.
    void addDisturbed(const std::string& workload, const std::string& implementation);
    bool onlyDisturbed(const std::string& workload, const std::string& implementation) const;
    // Microseconds; nullopt: not measured.
    std::optional<double> find(const std::string& workload,
                               const std::string& implementation) const;
    // Names of the entry with knobs at other values, of which there are times.
    std::vector<std::string> settings(const std::string& workload, const std::string& entry) const;

private:
    std::map<std::pair<std::string, std::string>, double> m_us;
    std::set<std::pair<std::string, std::string>> m_disturbed;
};

} // namespace fw
