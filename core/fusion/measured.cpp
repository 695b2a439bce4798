// What the log of measurements says of groups: whether their operators are faster as one or apart,
// and whether stages are faster inside the loops of others or one behind the other.
#include "fusion/group_planner.h"

#include "strategy/melted.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

bool isFaster(double us, double than) {
    return us < than * (1 - Measurements::margin);
}

std::string timesText(const std::map<std::string, double>& times) {
    std::string out;
    for (const auto& [name, us] : times)
        out += fmt::format("{}{} {:.1f} us", out.empty() ? "" : ", ", name, us);
    return out;
}

} // namespace

std::string GroupPlanner::fasterApart(const Forming& group) const {
    const Measurements* log = m_catalog.measurements();
    const Selection& by = group.selection();
    const bool isPinned = std::any_of(group.nodes.begin(), group.nodes.end(),
                                      [&](NodeId id) { return !pinned(id).empty(); });
    if (log == nullptr || isPinned || by.source == "pin" || by.implementation == nullptr)
        return {};
    for (const MeasuredWorkload& timed :
         log->groupsAround(m_graph, group.anchor.node->id, group.nodes, m_target)) {
        const std::map<std::string, double> times = log->times(timed.text);
        const auto apart = times.find(apartFromEachOther);
        if (apart == times.end() || !times.contains(by.name))
            continue;
        const bool fastest = std::all_of(times.begin(), times.end(), [&](const auto& one) {
            return one.first == apart->first || isFaster(apart->second, one.second);
        });
        return fastest ? fmt::format("they are faster apart: {}", timesText(times)) : std::string();
    }
    return {};
}

bool GroupPlanner::meltByLog(Selection& chosen, Candidate& melted, const Forming& group) const {
    const Measurements* log = m_catalog.measurements();
    Candidate& stacked = chosen.candidates[chosen.plain];
    if (log == nullptr || chosen.source == "pin")
        return false;
    for (const MeasuredWorkload& timed :
         log->groupsAround(m_graph, group.anchor.node->id, group.nodes, m_target)) {
        melted.measuredUs = log->find(timed.text, melted.implementation);
        melted.disturbed = log->onlyDisturbed(timed.text, melted.implementation);
        const std::optional<double> other = log->find(timed.text, stacked.implementation);
        if (!melted.measuredUs || !other)
            continue;
        const bool melts = isFaster(*melted.measuredUs, *other);
        if (!melts && !isFaster(*other, *melted.measuredUs))
            return false;
        const std::string times = timesText(log->times(timed.text));
        Candidate& winner = melts ? melted : stacked;
        stacked.chosen = false;
        winner.chosen = true;
        winner.code = ReasonCode::ChosenMeasured;
        winner.evidence = times;
        chosen.source = "log";
        if (melts)
            melted.by = meltedImplementation(Melt::Always);
        return true;
    }
    return false;
}

void GroupPlanner::joinMeasured() {
    const Measurements* log = m_catalog.measurements();
    if (log == nullptr || !m_book.followsLog())
        return;
    for (const NodePtr& node : m_graph.nodes()) {
        if (!isOperator(*node) || m_where.contains(node->id))
            continue;
        for (const MeasuredWorkload& timed :
             log->groupsAround(m_graph, node->id, {node->id}, m_target)) {
            std::map<std::string, double> times = log->times(timed.text);
            const auto apart = times.find(apartFromEachOther);
            if (apart == times.end())
                continue;
            const auto fastest =
                std::min_element(times.begin(), times.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; });
            if (!isFaster(fastest->second, apart->second))
                continue;
            const std::vector<NodeId> nodes = inOrder(timed.nodes);
            const bool isPinned = std::any_of(nodes.begin(), nodes.end(),
                                              [&](NodeId id) { return !pinned(id).empty(); });
            if (isPinned || !illegal(nodes).empty())
                continue;
            Selection by = choose(node->id, fastest->first, nodes);
            if (by.source != "pin") // nothing of that name, or not here
                continue;
            by.source = "log";
            by.candidates[by.plain].code = ReasonCode::ChosenMeasured;
            by.candidates[by.plain].evidence = timesText(times);
            std::string refusal;
            Forming group = assemble(nodes, node->id, std::move(by), refusal);
            group.held = true;
            add(std::move(group), "the log puts them together", ReasonCode::ChosenMeasured,
                timesText(times));
            break;
        }
    }
}

} // namespace fw
