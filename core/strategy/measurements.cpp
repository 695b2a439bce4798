#include "strategy/measurements.h"

#include "runtime/cpu.h"
#include "runtime/library_level.h"
#include "strategy/workload_machine.h"
#include "target/saved_machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// " onednn=avx2 openblas=Haswell": libraries that are held below what they would choose here.
std::string heldLibraries(const Target& target) {
    std::string out;
    for (const runtime::LibraryId library : runtime::builtInLibraryIds) {
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

namespace {

std::string typeText(const Graph& graph, ValueRef value) {
    return (graph.constant(value) != nullptr ? "const " : "") + graph.type(value).text();
}

// The workload of an operator but for the machine.
std::string frontOf(const Graph& graph, const Node& node) {
    std::string operands, results;
    for (const ValueRef& input : node.inputs) {
        operands += operands.empty() ? "" : ", ";
        if (input.valid())
            operands += typeText(graph, input);
    }
    for (const Output& output : node.outputs)
        results += (results.empty() ? "" : ", ") + output.type.text();
    return fmt::format("{}({}){} -> {}", node.op, operands,
                       node.attrs.empty() ? "" : " " + node.attrs.print(), results);
}

constexpr std::string_view next = " |";

// A group while it is told, from its anchor on.
class GroupWalk {
public:
    GroupWalk(const Graph& graph, NodeId anchor) : m_graph(graph), m_nodes{anchor} {}

    const std::vector<NodeId>& nodes() const { return m_nodes; }
    void take(NodeId node) { m_nodes.push_back(node); }

    // Operators that read a result of the group, or whose results it reads.
    std::set<NodeId> neighbours() const {
        std::set<NodeId> out;
        for (const NodeId id : m_nodes) {
            const Node& node = m_graph.node(id);
            for (const ValueRef& input : node.inputs)
                if (input.valid() && !m_graph.node(input.node).isLeaf())
                    out.insert(input.node);
            for (std::size_t i = 0; i < node.outputs.size(); ++i)
                for (const Use& use : m_graph.uses({id, static_cast<int>(i)}))
                    out.insert(use.node);
        }
        for (const NodeId id : m_nodes)
            out.erase(id);
        return out;
    }

    // What it does with those that are taken: " bias(0, const f32[16]) |".
    std::string step(NodeId id) const {
        const Node& node = m_graph.node(id);
        std::string operands, readers;
        for (const ValueRef& input : node.inputs) {
            operands += operands.empty() ? "" : ", ";
            if (!input.valid())
                continue;
            const std::optional<std::size_t> place = placeOf(input.node);
            operands += !place              ? typeText(m_graph, input)
                        : input.output == 0 ? fmt::format("{}", *place)
                                            : fmt::format("{}.{}", *place, input.output);
        }
        for (std::size_t place = 0; place < m_nodes.size(); ++place) {
            const Node& reader = m_graph.node(m_nodes[place]);
            for (std::size_t i = 0; i < reader.inputs.size(); ++i)
                if (reader.inputs[i].valid() && reader.inputs[i].node == id)
                    readers += fmt::format("{}{}.{}", readers.empty() ? " to " : ", ", place, i);
        }
        return fmt::format(" {}({}){}{}{}", node.op, operands,
                           node.attrs.empty() ? "" : " " + node.attrs.print(), readers, next);
    }

private:
    std::optional<std::size_t> placeOf(NodeId id) const {
        const auto found = std::find(m_nodes.begin(), m_nodes.end(), id);
        return found == m_nodes.end() ? std::nullopt
                                      : std::optional<std::size_t>(found - m_nodes.begin());
    }

    const Graph& m_graph;
    std::vector<NodeId> m_nodes;
};

// The nodes of a group that is told so behind its anchor; empty if there is none in the graph.
std::vector<NodeId> groupAt(const Graph& graph, NodeId anchor, std::string_view steps) {
    GroupWalk walk(graph, anchor);
    while (!steps.empty()) {
        const std::set<NodeId> candidates = walk.neighbours();
        const auto found = std::find_if(candidates.begin(), candidates.end(), [&](NodeId id) {
            return steps.starts_with(walk.step(id));
        });
        if (found == candidates.end())
            return {};
        steps.remove_prefix(walk.step(*found).size());
        walk.take(*found);
    }
    return walk.nodes();
}

} // namespace

std::string workloadText(const Graph& graph, const Node& node, const Target& target) {
    return frontOf(graph, node) + workloadMachine(target);
}

std::string workloadText(const Graph& graph, NodeId anchor, const std::vector<NodeId>& nodes,
                         const Target& target) {
    std::string out = frontOf(graph, graph.node(anchor)) + std::string(next);
    GroupWalk walk(graph, anchor);
    std::set<NodeId> left(nodes.begin(), nodes.end());
    left.erase(anchor);
    while (!left.empty()) {
        const std::set<NodeId> near = walk.neighbours();
        std::optional<std::pair<std::string, NodeId>> first;
        for (const bool anywhere : {false, true}) // a group need not hang together
            for (const NodeId id : left)
                if ((anywhere && !first) || near.contains(id)) {
                    std::pair<std::string, NodeId> one{walk.step(id), id};
                    if (!first || one < *first)
                        first = std::move(one);
                }
        out += first->first;
        walk.take(first->second);
        left.erase(first->second);
    }
    return out + workloadMachine(target);
}

bool isOfGroup(std::string_view workload) {
    return workload.find(" | on ") != std::string_view::npos;
}

std::vector<MeasuredWorkload> Measurements::groupsAround(const Graph& graph, NodeId anchor,
                                                         const std::vector<NodeId>& nodes,
                                                         const Target& target) const {
    std::vector<MeasuredWorkload> out;
    const std::string front = frontOf(graph, graph.node(anchor)) + std::string(next);
    const std::string machine = workloadMachine(target);
    for (auto one = m_workloads.lower_bound(front);
         one != m_workloads.end() && one->starts_with(front); ++one) {
        if (one->size() < front.size() + machine.size() || !one->ends_with(machine))
            continue;
        const std::string_view steps = std::string_view(*one).substr(
            front.size(), one->size() - front.size() - machine.size());
        std::vector<NodeId> group = groupAt(graph, anchor, steps);
        const bool hasAll = std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) {
            return std::find(group.begin(), group.end(), id) != group.end();
        });
        if (!group.empty() && hasAll)
            out.push_back({*one, std::move(group)});
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const MeasuredWorkload& a, const MeasuredWorkload& b) {
                         return a.nodes.size() > b.nodes.size();
                     });
    return out;
}

std::optional<MeasuredWorkload> Measurements::around(const Graph& graph, NodeId anchor,
                                                     const std::vector<NodeId>& nodes,
                                                     const Target& target) const {
    // Groups that were measured apart, too, are made before others grow: these are not meant.
    for (MeasuredWorkload& group : groupsAround(graph, anchor, nodes, target))
        if (nodes.size() > 1 || !find(group.text, apartFromEachOther))
            return std::move(group);
    std::string old = workloadText(graph, graph.node(anchor), target);
    return m_workloads.contains(old) ? std::optional(MeasuredWorkload{std::move(old), {}})
                                     : std::nullopt;
}

void Measurements::add(const std::string& workload, const std::string& implementation, double us) {
    m_us.insert_or_assign({workload, implementation}, us);
    m_workloads.insert(workload);
}

void Measurements::addAt(const std::string& workload, const std::string& dim, std::int64_t size,
                         const std::string& implementation, double us) {
    TimesBySize& known = m_bySize[workload];
    if (known.dim != dim)
        known = {dim, {}};
    known.times[size].insert_or_assign(implementation, us);
    m_workloads.insert(workload);
}

const TimesBySize* Measurements::bySize(const std::string& workload) const {
    const auto found = m_bySize.find(workload);
    return found == m_bySize.end() ? nullptr : &found->second;
}

void Measurements::addDisturbed(const std::string& workload, const std::string& implementation) {
    m_disturbed.insert({workload, implementation});
    m_workloads.insert(workload);
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

std::map<std::string, double> Measurements::times(const std::string& workload) const {
    std::map<std::string, double> out;
    for (auto one = m_us.lower_bound({workload, {}});
         one != m_us.end() && one->first.first == workload; ++one)
        out.emplace(one->first.second, one->second);
    return out;
}

std::optional<double> Measurements::find(const std::string& workload,
                                         const std::string& implementation) const {
    const auto found = m_us.find({workload, implementation});
    return found == m_us.end() ? std::nullopt : std::optional<double>(found->second);
}

} // namespace fw
