// Nodes that a pin of the user holds together, and what a pin that is not followed is told.
#include "fusion/group_planner.h"
#include "strategy/melted.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

void GroupPlanner::refusePin(const PinRule& pin, std::string why) {
    m_plan.notices.push_back(GraphPins::refusal(pin, why));
}

std::string GroupPlanner::wishAgainst(const std::vector<NodeId>& nodes,
                                      const Selection& selection) const {
    for (const NodeId id : nodes)
        if (const std::string wish = pinned(id);
            !wish.empty() && !selection.uses(wish) && choose(id, wish).source == "pin")
            return fmt::format("{} for {}", wish, label(id));
    return {};
}

void GroupPlanner::holdTogether(const PinRule& pin) {
    const auto nodes = m_pins.nodesOf(pin, m_plan.notices);
    if (!nodes)
        return;
    if (const std::string back = wayBack({nodes->begin(), nodes->end()}); !back.empty()) {
        m_plan.notices.push_back({"pin at " + pin.place(), Verdict::No, ReasonCode::NotConvex,
                                  fmt::format("{} ({})", back, pin.place())});
        return;
    }
    if (const std::string why = illegal(*nodes); !why.empty())
        return refusePin(pin, why);
    Held held = heldBy(pin, *nodes);
    if (!held.refusal.empty())
        return refusePin(pin, std::move(held.refusal));
    if (held.selection.implementation == nullptr)
        return refusePin(pin, "nothing computes " + label(held.anchor));
    std::string refusal;
    Forming group = assemble(*nodes, held.anchor, held.selection, refusal);
    if (!refusal.empty() && !held.wished && held.selection.implementation->library() != nullptr) {
        // Without a wish for the library, code of ours holds them together better.
        const std::string own = bestOwn(held.selection);
        if (own.empty())
            return refusePin(pin, refusal);
        refusal.clear();
        group = assemble(*nodes, held.anchor, choose(held.anchor, own, *nodes), refusal);
        Selection forced = group.selection();
        forced.source = "pin";
        group.choose(std::move(forced));
    }
    if (!refusal.empty() && group.selection().implementation->library() != nullptr)
        group.warnings.push_back({m_graph.node(held.anchor).name, Verdict::Note,
                                  ReasonCode::ExternInGroup,
                                  fmt::format("{}, {}", group.selection().name, refusal)});
    if (held.melts) {
        const std::string& name = meltedImplementation()->name();
        if (group.stacked)
            melt(group, pin.place(), name);
        if (!group.selection().uses(name))
            return refusePin(pin, fmt::format("{}: {} computes them, which is not melted", name,
                                              group.selection().name));
    }
    group.held = group.stacked || group.selection().source == "pin";
    group.byPin = true;
    add(std::move(group), "held together by the user", ReasonCode::PinFollowed, pin.place());
}

// The implementation is that of the pin, or one that another pin wants for some of the nodes.
GroupPlanner::Held GroupPlanner::heldBy(const PinRule& pin, const std::vector<NodeId>& nodes) {
    const std::string& with = pin.clause.implementation;
    Held out;
    out.anchor = anchorOf(nodes);
    std::string wish = with.empty() ? pinned(out.anchor) : with;
    for (const NodeId id : nodes)
        if (wish.empty())
            wish = pinned(id);
    // The melted implementation computes no single operator: nests of our own are melted then.
    out.melts = wish == meltedImplementation()->name();
    if (out.melts)
        wish.clear();
    out.wished = !wish.empty();
    out.selection = choose(out.anchor, wish, nodes);
    if (out.melts && out.selection.implementation != nullptr &&
        out.selection.implementation->library() != nullptr)
        out.selection = choose(out.anchor, bestOwn(out.selection), nodes);
    if (!out.wished || out.selection.source == "pin")
        return out;
    std::string why;
    for (const Decision& notice : out.selection.notices)
        why = notice.evidence;
    // The call may compute another of them.
    for (const NodeId id : nodes) {
        out.selection = choose(id, wish, nodes);
        out.anchor = id;
        if (out.selection.source == "pin")
            return out;
    }
    if (!with.empty()) {
        out.refusal = std::move(why);
        return out;
    }
    // That pin is told of; this one is followed all the same.
    out.anchor = anchorOf(nodes);
    out.selection = choose(out.anchor, {}, nodes);
    out.wished = false;
    for (const NodeId id : nodes)
        if (pinned(id) == wish)
            for (const Decision& notice : choose(id, wish, nodes).notices)
                if (notice.code == ReasonCode::PinRefused)
                    m_useRefused.insert_or_assign(id, notice.evidence);
    return out;
}

// Of every `use` that the plan does not show, why.
void GroupPlanner::tellPinsNotFollowed() {
    for (const auto& [id, wish] : m_pins.uses()) {
        Forming& group = m_forming[m_where.at(id)];
        const auto& notices = group.selection().notices;
        if (group.selection().uses(wish)) { // should it have no code for the group, that is told
            Selection asked = group.selection();
            asked.source = "pin";
            group.choose(std::move(asked));
            continue;
        }
        if (std::any_of(notices.begin(), notices.end(), [&](const Decision& one) {
                return one.code == ReasonCode::PinRefused && one.subject == label(id);
            }))
            continue;
        std::string why;
        if (const auto known = m_useRefused.find(id); known != m_useRefused.end())
            why = known->second;
        else if (group.view)
            why = fmt::format("{} for {}: it is a view, which computes nothing", wish, label(id));
        else if (group.opaque)
            why = fmt::format("{} for {}: {} is not known", wish, label(id),
                              m_graph.node(id).shownOp());
        else if (!group.host.empty())
            why = fmt::format("{} for {}: {}", wish, label(id), group.host);
        else
            why = fmt::format("{} for {}: it is in the group of {}, which {} computes", wish,
                              label(id), group.anchor.node->name, group.selection().name);
        m_plan.notices.push_back({label(id), Verdict::No, ReasonCode::PinRefused, std::move(why)});
    }
}

} // namespace fw
