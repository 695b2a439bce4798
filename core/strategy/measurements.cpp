#include "strategy/measurements.h"

#include "runtime/cpu.h"

#include <fmt/format.h>

namespace fw {

std::string workloadText(const Graph& graph, const Node& node, const Target& target) {
    std::string operands, results;
    for (const ValueRef& input : node.inputs) {
        operands += operands.empty() ? "" : ", ";
        if (input.valid())
            operands +=
                (graph.constant(input) != nullptr ? "const " : "") + graph.type(input).text();
    }
    for (const Output& output : node.outputs)
        results += (results.empty() ? "" : ", ") + output.type.text();
    return fmt::format("{}({}){} -> {} on {} threads={} cpu={}", node.op, operands,
                       node.attrs.empty() ? "" : " " + node.attrs.print(), results,
                       target.codeKey(), target.threads, runtime::cpuInfo().model);
}

void Measurements::add(const std::string& workload, const std::string& implementation, double us) {
    m_us.insert_or_assign({workload, implementation}, us);
}

std::optional<double> Measurements::find(const std::string& workload,
                                         const std::string& implementation) const {
    const auto found = m_us.find({workload, implementation});
    return found == m_us.end() ? std::nullopt : std::optional<double>(found->second);
}

} // namespace fw
