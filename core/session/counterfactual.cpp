#include "session/counterfactual.h"

#include "extern/extern.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

std::vector<std::string> groupsOf(const FusionPlan& plan, const std::vector<NodeId>& nodes) {
    std::vector<std::string> out;
    for (const NodeId node : nodes) {
        const Group& group = plan.groupAt(node);
        std::string text = fmt::format("{} by {}", group.name, group.computedBy());
        if (std::find(out.begin(), out.end(), text) == out.end())
            out.push_back(std::move(text));
    }
    return out;
}

std::string verdictOf(const FusionPlan& plan, const FusionPlan& now,
                      const std::vector<NodeId>& nodes) {
    if (nodes.size() == 2)
        return plan.groupOf.at(nodes[0]) == plan.groupOf.at(nodes[1]) ? "yes" : "no";
    const Group &then = plan.groupAt(nodes[0]), &current = now.groupAt(nodes[0]);
    return then.nodes == current.nodes && then.implementation == current.implementation ? "same"
                                                                                        : "other";
}

std::vector<std::vector<std::string>> choicesOf(const std::vector<std::string>& ready) {
    std::vector<std::vector<std::string>> out{{}};
    for (const std::string& library : ready)
        out.push_back({library});
    if (ready.size() > 1)
        out.push_back(ready);
    return out;
}

} // namespace

Result<std::vector<snapshot::CounterfactualRecord>>
libraryCounterfactuals(const Graph& graph, const Target& target, const PlanOptions& options,
                       const FusionPlan& plan, const std::vector<NodeId>& nodes) {
    std::vector<snapshot::CounterfactualRecord> out;
    Target found = target;
    found.libraryChoice = LibraryChoice::Found;
    FW_CHECK(holdLibraries(found));
    const std::vector<std::string> now = options.catalog->libraries(target);
    for (const std::vector<std::string>& choice : choicesOf(options.catalog->libraries(found))) {
        if (choice == now)
            continue;
        Target other = target;
        other.libraryChoice = LibraryChoice::Listed;
        other.libs = choice;
        FW_TRY(const FusionPlan then, planFusion(graph, other, options));
        snapshot::CounterfactualRecord record;
        record.change = "-libs=";
        for (const std::string& library : choice)
            record.change += (library == choice.front() ? "" : ",") + library;
        record.verdict = verdictOf(then, plan, nodes);
        record.groups = groupsOf(then, nodes);
        out.push_back(std::move(record));
    }
    return out;
}

} // namespace fw
