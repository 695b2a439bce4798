// The gates of one operator that would join a group.
#include "fusion/group_planner.h"

#include "strategy/targets.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

bool GroupPlanner::mayJoin(const Forming& group, NodeId next, std::size_t count,
                           const GrowRule& rule, GateList& gates) const {
    for (const NodeId member : group.nodes)
        if (const auto pin = m_pins.apart(member, next))
            return gates.pass("not kept apart by the user", false, ReasonCode::PinApart, *pin);
    for (const NodeId member : group.nodes)
        if (const auto later = knownLater(member, next))
            return gates.pass("sizes known together", false, ReasonCode::SizesLater, *later);
    std::set<NodeId> nodes(group.nodes.begin(), group.nodes.end());
    nodes.insert(next);
    const std::string back = wayBack(nodes);
    if (!gates.pass("convex", back.empty(), ReasonCode::NotConvex,
                    back.empty() ? "no path leaves the group" : back))
        return false;
    const std::size_t operands = operandCount(nodes);
    return gates.pass(
               "size of the group", count <= rule.limit(), ReasonCode::GroupLimit,
               fmt::format("{} of {} operators", std::min(count, rule.limit()), rule.limit())) &&
           gates.pass("operands of the group", operands <= rule.operands(),
                      ReasonCode::OperandLimit, fmt::format("{} of {}", operands, rule.operands()));
}

bool GroupPlanner::join(Forming& group, NodeId from, NodeId next, GateList& gates) const {
    const Workload candidate = workload(next);
    const std::size_t* where = m_where.find(next);
    if (!gates.pass("not taken by another group", where == nullptr, ReasonCode::TakenByOther,
                    where == nullptr ? std::string("free") : whose(next, m_forming[*where])))
        return false;
    const bool view = isView(m_graph, *candidate.node);
    if (!gates.pass("has a tensor expression", candidate.facts.kind != FusionKind::Opaque && !view,
                    ReasonCode::OpaqueOperator,
                    fmt::format("{} is {}", candidate.node->shownOp(),
                                view                          ? "a view"
                                : candidate.node->isUnknown() ? "not known"
                                                              : kindText(candidate.facts.kind))))
        return false;
    if (const std::string wish = pinned(next);
        !wish.empty() &&
        !gates.pass("its implementation is not chosen by the user",
                    isMapKind(candidate.facts.kind) && group.selection().uses(wish),
                    ReasonCode::ChosenPin, fmt::format("{} for {}", wish, label(next))))
        return false;
    for (const ValueRef& input : candidate.node->inputs)
        if (input.valid() && group.has(input.node) && isFurther(input))
            return gates.pass("first result", false, ReasonCode::ValueEscapes,
                              fmt::format("{} is a further result of {}, which is stored",
                                          m_graph.output(input).name, label(input.node)));
    gates.pass("first result", true, ReasonCode::ValueEscapes, "of " + label(from));
    return isMapKind(candidate.facts.kind) ? joinMap(group, candidate, gates)
                                           : joinAnchor(group, candidate, gates);
}

// Every value of the group that a map reads has the shape of what it makes: nothing is computed
// twice.
bool GroupPlanner::sameSpace(const Forming& group, const Node& map, GateList& gates) const {
    const TensorType& made = map.outputs[0].type;
    std::string evidence;
    for (const ValueRef& input : map.inputs) {
        if (!input.valid() || !group.has(input.node))
            continue;
        const TensorType& read = m_graph.type(input);
        evidence = fmt::format("{} and {}", read.text(), made.text());
        if (read.shape != made.shape)
            return gates.pass("same iteration space", false, ReasonCode::ShapeDiffers, evidence);
    }
    return gates.pass("same iteration space", true, ReasonCode::ShapeDiffers, evidence);
}

bool GroupPlanner::joinMap(Forming& group, const Workload& next, GateList& gates) const {
    const GrowRule* rule = growRule(group, next.node->id, GrowDirection::Forward);
    const bool opened = rule != nullptr && rule->tree->direction != GrowDirection::Never;
    if (!gates.pass(growthGate, opened, ReasonCode::KindRefused,
                    rule != nullptr ? rule->place()
                                    : fmt::format("no rule grow {} -> {} forward",
                                                  kindText(group.kind), kindText(next.facts.kind))))
        return false;
    if (!mayJoin(group, next.node->id, group.nodes.size() + 1, *rule, gates))
        return false;
    if (!sameSpace(group, *next.node, gates) ||
        !mayCompute(group.selection(), next.node->id, gates))
        return false;
    const Acceptance answer = m_catalog.absorbsEpilogue(group.selection(), group.growing(), next);
    if (!gates.ask("implementation absorbs it", answer))
        return false;
    group.open = answer.open;
    if (!group.call.empty() && !group.stacked)
        group.call.push_back(next.node->id);
    return true;
}

const GrowRule* GroupPlanner::growRule(const Forming& group, NodeId reader,
                                       GrowDirection direction) const {
    const Node& node = m_graph.node(reader);
    const auto holds = [&](const GrowRule& rule) {
        if (rule.tree->targets.empty() && rule.tree->where.empty())
            return true;
        const TargetOffer offer{targetKeys(m_target), m_catalog.libraries(m_target)};
        if (!isFor(*rule.tree, offer))
            return false;
        Scope scope;
        scope.offer = &offer;
        const auto read = std::find_if(node.inputs.begin(), node.inputs.end(), [&](ValueRef input) {
            return input.valid() && group.has(input.node);
        });
        if (read != node.inputs.end())
            scope.names.emplace(growNames[0], TensorValue{&m_graph, *read});
        scope.names.emplace(growNames[1], TensorValue{&m_graph, ValueRef{reader, 0}});
        return std::all_of(
            rule.tree->where.begin(), rule.tree->where.end(),
            [&](const ConditionTree& one) { return decide(one, scope).truth == Truth::Yes; });
    };
    return m_book.grow(group.kind, m_facts.at(reader).kind, direction, holds);
}

bool GroupPlanner::mayCompute(const Selection& selection, NodeId id, GateList& gates) const {
    const Avoided* by = m_pins.avoided(id, selection);
    return by == nullptr ||
           gates.pass("not avoided by the user", false, ReasonCode::PinAvoids, by->evidence);
}

// So far only maps, or movements before another one: the reader becomes the anchor if its
// implementation takes all of them first.
bool GroupPlanner::joinAnchor(Forming& group, const Workload& next, GateList& gates) const {
    const bool movements =
        group.kind == FusionKind::Injective && next.facts.kind == FusionKind::Injective;
    if (!gates.pass("one anchor", !group.anchored || movements, ReasonCode::AlreadyAnchored,
                    fmt::format("{} and {}", group.anchor.node->op, next.node->op)))
        return false;
    if (!gates.pass("another may compute it", !group.held, ReasonCode::TakenByOther,
                    fmt::format("a pin or a fusion rule says that {} computes the group of {}",
                                group.selection().name, group.anchor.node->name)))
        return false;
    const GrowRule* rule = growRule(group, next.node->id, GrowDirection::Into);
    const bool opened = rule != nullptr && rule->tree->direction != GrowDirection::Never;
    if (!gates.pass(growthGate, opened, ReasonCode::KindRefused,
                    rule != nullptr ? rule->place()
                                    : fmt::format("no rule grow {} -> {} into",
                                                  kindText(group.kind), kindText(next.facts.kind))))
        return false;
    if (!mayJoin(group, next.node->id, group.nodes.size() + 1, *rule, gates))
        return false;
    Selection selection = choose(next.node->id, pinned(next.node->id));
    if (!gates.pass("anchor has an implementation", selection.implementation != nullptr,
                    ReasonCode::OpaqueOperator, next.node->op))
        return false;
    if (const std::string wish = wishAgainst(group.nodes, selection);
        !wish.empty() && !gates.pass("its implementation is not chosen by the user", false,
                                     ReasonCode::ChosenPin, wish))
        return false;
    for (const NodeId member : group.nodes)
        if (!mayCompute(selection, member, gates) ||
            !gates.ask("implementation absorbs it",
                       m_catalog.absorbsPrologue(selection, workload(member), next)))
            return false;
    group.anchor = next;
    group.choose(std::move(selection));
    group.anchored = true;
    return true;
}

} // namespace fw
