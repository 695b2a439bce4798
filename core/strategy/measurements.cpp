#include "strategy/measurements.h"

#include "runtime/cpu.h"
#include "runtime/library_level.h"
#include "strategy/workload_machine.h"
#include "target/saved_machine.h"

#include <fmt/format.h>

namespace fw {

namespace {

// " onednn=avx2 openblas=Haswell": libraries that are held below what they would choose here.
std::string heldLibraries(const Target& target) {
    std::string out;
    for (const auto library : {runtime::LibraryId::OneDnn, runtime::LibraryId::OpenBlas}) {
        const std::string name = runtime::libraryText(library);
        const std::string level = runtime::levelFor(library, target.libraryLevel(name));
        if (!level.empty())
            out += " " + name + "=" + level;
    }
    return out;
}

} // namespace

std::string heldLevels(const Target& target) {
    const std::string held = heldLibraries(target);
    return held.empty() ? held : held.substr(1);
}

std::string workloadMachine(const Target& target) {
    if (const SavedMachinePtr machine = machineOf(target)) // as the machine itself says it
        return fmt::format(" on {}{}{} threads={} cpu={}", target.codeKey(),
                           machine->held.empty() ? "" : " ", machine->held, target.threads,
                           machine->cpu);
    return fmt::format(" on {}{} threads={} cpu={}", target.codeKey(), heldLibraries(target),
                       target.threads, runtime::cpuInfo().model);
}

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
    return fmt::format("{}({}){} -> {}{}", node.op, operands,
                       node.attrs.empty() ? "" : " " + node.attrs.print(), results,
                       workloadMachine(target));
}

void Measurements::add(const std::string& workload, const std::string& implementation, double us) {
    m_us.insert_or_assign({workload, implementation}, us);
}

void Measurements::addAt(const std::string& workload, const std::string& dim, std::int64_t size,
                         const std::string& implementation, double us) {
    TimesBySize& known = m_bySize[workload];
    if (known.dim != dim)
        known = {dim, {}};
    known.times[size].insert_or_assign(implementation, us);
}

const TimesBySize* Measurements::bySize(const std::string& workload) const {
    const auto found = m_bySize.find(workload);
    return found == m_bySize.end() ? nullptr : &found->second;
}

void Measurements::addDisturbed(const std::string& workload, const std::string& implementation) {
    m_disturbed.insert({workload, implementation});
}

bool Measurements::onlyDisturbed(const std::string& workload,
                                 const std::string& implementation) const {
    return m_disturbed.contains({workload, implementation}) && !find(workload, implementation);
}

std::vector<std::string> Measurements::settings(const std::string& workload,
                                                const std::string& entry) const {
    std::set<std::string> out;
    for (auto one = m_us.lower_bound({workload, entry + "("});
         one != m_us.end() && one->first.first == workload && entryOf(one->first.second) == entry;
         ++one)
        out.insert(one->first.second);
    if (const TimesBySize* known = bySize(workload))
        for (const auto& [size, times] : known->times)
            for (const auto& [name, us] : times)
                if (name != entry && entryOf(name) == entry)
                    out.insert(name);
    return {out.begin(), out.end()};
}

std::optional<double> Measurements::find(const std::string& workload,
                                         const std::string& implementation) const {
    const auto found = m_us.find({workload, implementation});
    return found == m_us.end() ? std::nullopt : std::optional<double>(found->second);
}

} // namespace fw
