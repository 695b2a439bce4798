#include "session/whole_plan.h"

#include "strategy/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace fw {

using snapshot::Pin;

void MeasuredPieces::add(std::vector<NodeId> nodes, double us, PieceWay known) {
    m_pieces.push_back({std::move(nodes), us});
    m_known.push_back(std::move(known));
}

void MeasuredPieces::addGroup(const Group& group, double us) {
    add(group.nodes, us, {Way::Planned, &group});
}

void MeasuredPieces::addSplit(const Group& group, const SplitTime& split) {
    if (split.disturbed || !split.agree)
        return;
    for (const NodeId node : group.nodes) {
        const auto us = split.each.find(m_graph.node(node).name);
        add({node}, us == split.each.end() ? 0 : us->second, {Way::Split, &group});
    }
}

void MeasuredPieces::addTogether(const Group& group, const Group& next, Pin pin, double us) {
    std::vector<NodeId> nodes = group.nodes;
    nodes.insert(nodes.end(), next.nodes.begin(), next.nodes.end());
    add(std::move(nodes), us, {Way::Together, &group, std::move(pin)});
}

std::string MeasuredPieces::sentence() const {
    double planned = 0;
    std::vector<CoverPiece> weighed = m_pieces;
    for (std::size_t i = 0; i < weighed.size(); ++i)
        if (m_known[i].way == Way::Planned)
            planned += m_pieces[i].us;
        else
            weighed[i].us *= 1 + Measurements::margin;
    const std::string start =
        fmt::format("measured group by group, this plan takes {:.3f} ms", planned / 1000);
    const std::optional<Cover> cover = bestCover(m_graph, weighed);
    if (!cover)
        return start + "; there are too many others to say which is the best";
    double best = 0;
    std::vector<Pin> pins;
    std::set<const Group*> split;
    for (const std::size_t piece : cover->pieces) {
        const PieceWay& known = m_known[piece];
        best += m_pieces[piece].us;
        if (known.way == Way::Split && split.insert(known.group).second) {
            Pin& pin = pins.emplace_back(Pin{snapshot::PinKind::Apart, {}});
            for (const NodeId node : known.group->nodes)
                pin.nodes.push_back(m_graph.node(node).name);
        } else if (known.pin) {
            pins.push_back(*known.pin);
        }
    }
    if (pins.empty())
        return start + ", and no other choice of what was measured takes less";
    std::string text;
    for (const Pin& pin : pins)
        text += (text.empty() ? "" : "  ") + snapshot::pinText(pin);
    return fmt::format("{}, the best choice of what was measured {:.3f} ms: pin {{ {} }}", start,
                       best / 1000, text);
}

} // namespace fw
