// Growth: a group starts at an operator and takes readers while the books open the way and the
// chosen implementation absorbs them.
//
// A value that is read several times does not end a group if all ways out meet again: then
// everything up to there joins, or nothing does.
#include "fusion/computable.h"
#include "fusion/group_planner.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

void GroupPlanner::form(const Node& seed) {
    Forming group;
    group.nodes = {seed.id};
    group.anchor = workload(seed.id);
    group.kind = group.anchor.facts.kind;
    group.view = isView(m_graph, seed);
    const auto without = withoutCode(m_graph, seed);
    group.opaque = seed.isUnknown() || (without && withoutAnything(m_graph, seed));
    if (without && !group.opaque) {
        group.host = without->message;
        group.runtimeKernel = m_graph.operators().find(seed.op)->runtimeKernel();
    } else if (!group.view && !group.opaque) {
        group.choose(choose(seed.id, pinned(seed.id)));
        group.anchored = !isMapKind(group.kind);
        if (group.selection().implementation == nullptr)
            group.host = fmt::format("no implementation of {} for {}", seed.op, m_target.text);
    }
    const std::size_t index = m_forming.size();
    m_forming.push_back(std::move(group));
    claim(index, seed.id);
    if (!m_forming[index].view && !m_forming[index].opaque && m_forming[index].host.empty())
        growOn(index);
}

void GroupPlanner::growOn(std::size_t index) {
    while (grow(index)) {
    }
    merge(index);
}

// Takes everything up to the next operator that all ways out of the group lead to; on behind it
// while its chain does not end there.
bool GroupPlanner::grow(std::size_t index) {
    const Forming& before = m_forming[index];
    Forming grown = before;
    Way way = takeWay(grown);
    std::vector<EdgeDecision> edges = std::move(way.edges);
    while (way.joined && grown.open) {
        way = takeWay(grown);
        if (way.joined)
            edges.insert(edges.end(), way.edges.begin(), way.edges.end());
    }
    if (!way.joined && grown.open) { // not even what would have joined: the chain has no end there
        for (const EdgeDecision& edge : edges) {
            if (!before.has(edge.from))
                continue;
            GateList refused(edgeName(edge.from, edge.to));
            refused.pass("implementation absorbs it", false, ReasonCode::CannotAbsorb,
                         fmt::format("{} is in the chain {} with what follows only, behind {} it "
                                     "does not: {}",
                                     m_graph.node(edge.to).op, before.selection().absorbs.chain,
                                     label(grown.nodes.back()), way.why));
            record(refused.take(edge.from, edge.to));
        }
        return false;
    }
    for (const EdgeDecision& edge : edges)
        record(edge);
    if (!way.joined)
        return false;
    m_forming[index] = std::move(grown);
    for (const NodeId id : m_forming[index].nodes)
        claim(index, id);
    return true;
}

GroupPlanner::Way GroupPlanner::takeWay(Forming& group) const {
    Way out;
    WaysOut ways{group, readersOf(group), {}};
    if (ways.readers.empty()) {
        out.why = "nothing reads " + label(group.nodes.back());
        return out;
    }
    // What refuses the first reader refuses them all.
    const auto refuseAll = [&](std::string_view gate, ReasonCode code, const std::string& why) {
        for (const NodeId reader : ways.readers)
            refuseReader(out, ways, reader, gate, code, why);
        return std::move(out);
    };
    for (const NodeId id : group.nodes)
        for (std::size_t i = 0; i < m_graph.node(id).outputs.size(); ++i)
            if (const ValueRef value{id, static_cast<int>(i)};
                m_graph.isResult(value) && !isFurther(value))
                return refuseAll("not a result of the model", ReasonCode::ValueIsResult,
                                 m_graph.output(value).name);
    ways.all = ways.readers;
    if (ways.readers.size() > 1) {
        std::string why;
        ways.all = pathOutside(group, ways.readers, why);
        if (ways.all.empty())
            return refuseAll("single way out", ReasonCode::ValueEscapes, why);
    }
    for (const NodeId next : ways.all)
        if (!takeNext(group, next, ways, out)) {
            group = std::move(ways.group);
            return out;
        }
    out.joined = true;
    return out;
}

std::vector<NodeId> GroupPlanner::readBy(NodeId reader, const Forming& group) const {
    std::vector<NodeId> out;
    for (const ValueRef& input : m_graph.node(reader).inputs)
        if (input.valid() && group.has(input.node) &&
            std::find(out.begin(), out.end(), input.node) == out.end())
            out.push_back(input.node);
    return out;
}

void GroupPlanner::refuseReader(Way& out, const WaysOut& ways, NodeId reader, std::string_view gate,
                                ReasonCode code, const std::string& why) const {
    for (const NodeId from : readBy(reader, ways.group)) {
        GateList gates(edgeName(from, reader));
        gates.pass(gate, false, code, why);
        out.why = gates.reason();
        out.edges.push_back(gates.take(from, reader));
    }
}

// False: with the edges of `out` the group takes none of the ways.
bool GroupPlanner::takeNext(Forming& group, NodeId next, const WaysOut& ways, Way& out) const {
    const bool single = ways.all.size() == 1;
    const std::vector<NodeId> from = readBy(next, group);
    GateList gates(edgeName(from.front(), next));
    gates.pass("single way out", true, ReasonCode::ValueEscapes,
               single ? "one reader" : fmt::format("all ways meet in {}", label(ways.all.back())));
    if (!join(group, from.front(), next, gates)) {
        out.edges.clear();
        for (const NodeId source : from)
            if (ways.group.has(source))
                out.edges.push_back(gates.take(source, next));
        // All or nothing: the readers that could have joined are refused for this one.
        const std::string reason = fmt::format("{}: {} cannot join, {}", labels(ways.readers),
                                               label(next), gates.reason());
        if (!single)
            for (const NodeId reader : ways.readers)
                if (reader != next)
                    refuseReader(out, ways, reader, "single way out", ReasonCode::ValueEscapes,
                                 reason);
        out.why = single ? gates.reason() : reason;
        return false;
    }
    for (const NodeId source : from)
        out.edges.push_back(gates.take(source, next));
    group.nodes.push_back(next);
    group.kind = std::max(group.kind, m_facts.at(next).kind);
    if (const auto full = pull(group, next, out.edges); full && single) {
        out.edges.clear();
        refuseReader(out, ways, next, "size of the group", full->code, full->evidence);
        return false;
    }
    group.nodes = inOrder(std::move(group.nodes));
    return true;
}

// What a map reads beside the group, if nobody else reads it, comes along: else a full group would
// leave it behind alone. Text if there is no room for it.
std::optional<Decision> GroupPlanner::pull(Forming& group, NodeId next,
                                           std::vector<EdgeDecision>& edges) const {
    if (group.anchored)
        return std::nullopt;
    std::vector<NodeId> open{next};
    while (!open.empty()) {
        const NodeId reader = open.back();
        open.pop_back();
        for (const ValueRef& input : m_graph.node(reader).inputs) {
            if (!input.valid() || group.has(input.node) || !m_facts.contains(input.node) ||
                m_where.contains(input.node) || !isMapKind(m_facts.at(input.node).kind) ||
                isView(m_graph, m_graph.node(input.node)))
                continue;
            Forming single;
            single.nodes = {input.node};
            single.kind = m_facts.at(input.node).kind;
            const std::vector<NodeId> readers = readersOf(single);
            if (m_graph.isResult(input) || std::any_of(readers.begin(), readers.end(),
                                                       [&](NodeId id) { return !group.has(id); }))
                continue;
            GateList gates(edgeName(input.node, reader));
            const bool joined = mergeInto(single, group, reader, gates);
            const EdgeDecision edge = gates.take(input.node, reader);
            if (!joined && (edge.decision.code == ReasonCode::GroupLimit ||
                            edge.decision.code == ReasonCode::OperandLimit)) {
                Decision limit = edge.decision;
                limit.evidence += fmt::format(", with {} beside it", label(input.node));
                return limit;
            }
            if (!joined)
                continue;
            edges.push_back(edge);
            group.nodes.push_back(input.node);
            open.push_back(input.node);
        }
    }
    return std::nullopt;
}

// A group of maps or movements that is only read by one other group joins it.
void GroupPlanner::merge(std::size_t index) {
    const Forming group = m_forming[index];
    if (group.given || group.kind > FusionKind::Injective)
        return;
    for (const NodeId id : group.nodes)
        for (std::size_t i = 0; i < m_graph.node(id).outputs.size(); ++i)
            if (m_graph.isResult({id, static_cast<int>(i)}))
                return;
    const std::vector<NodeId> readers = readersOf(group);
    std::optional<std::size_t> hostIndex;
    for (const NodeId reader : readers) {
        const std::size_t* where = m_where.find(reader);
        if (where == nullptr || (hostIndex && *hostIndex != *where))
            return;
        hostIndex = *where;
    }
    if (!hostIndex || m_forming[*hostIndex].view || m_forming[*hostIndex].opaque ||
        !m_forming[*hostIndex].host.empty())
        return;
    const Forming& host = m_forming[*hostIndex];
    bool joined = true;
    std::vector<EdgeDecision> edges;
    for (const NodeId reader : readers)
        for (const ValueRef& input : m_graph.node(reader).inputs) {
            if (!input.valid() || !group.has(input.node) || !joined)
                continue;
            GateList gates(edgeName(input.node, reader));
            joined = mergeInto(group, host, reader, gates);
            edges.push_back(gates.take(input.node, reader));
        }
    for (const EdgeDecision& edge : edges)
        if (joined || edge.decision.verdict == Verdict::No)
            record(edge);
    if (!joined)
        return;
    Forming& target = m_forming[*hostIndex];
    target.nodes.insert(target.nodes.end(), group.nodes.begin(), group.nodes.end());
    std::sort(target.nodes.begin(), target.nodes.end(),
              [&](NodeId a, NodeId b) { return m_position.at(a) < m_position.at(b); });
    target.kind = std::max(target.kind, group.kind);
    m_forming[index].nodes.clear();
    for (const NodeId id : target.nodes)
        claim(*hostIndex, id);
}

bool GroupPlanner::mergeInto(const Forming& group, const Forming& host, NodeId reader,
                             GateList& gates) const {
    const FusionKind to = m_facts.at(reader).kind;
    gates.pass("single way out", true, ReasonCode::ValueEscapes,
               "read only by the group of " + host.anchor.node->name);
    const bool behind =
        host.anchored && m_position.at(reader) > m_position.at(host.anchor.node->id);
    if (!gates.pass("read where the group begins", !behind, ReasonCode::TakenByOther,
                    behind ? fmt::format("{} is an epilogue in the group of {}", label(reader),
                                         host.anchor.node->name)
                           : label(reader)))
        return false;
    const GrowRule* rule = growRule(group, reader, GrowDirection::Into);
    const bool opened = rule != nullptr && rule->tree->direction != GrowDirection::Never;
    if (!gates.pass(growthGate, opened, ReasonCode::KindRefused,
                    rule != nullptr ? rule->place()
                                    : fmt::format("no rule grow {} -> {} into",
                                                  kindText(group.kind), kindText(to))))
        return false;
    Forming both = host;
    both.nodes.insert(both.nodes.end(), group.nodes.begin(), group.nodes.end());
    for (const NodeId member : group.nodes) {
        const Node& node = m_graph.node(member);
        for (const NodeId other : host.nodes)
            if (const auto pin = m_pins.apart(member, other))
                return gates.pass("not kept apart by the user", false, ReasonCode::PinApart, *pin);
        if (const std::string wish = pinned(member);
            !wish.empty() &&
            !gates.pass("its implementation is not chosen by the user", host.selection().uses(wish),
                        ReasonCode::ChosenPin, fmt::format("{} for {}", wish, node.name)))
            return false;
    }
    if (!mayJoin(both, group.nodes.back(), both.nodes.size(), *rule, gates))
        return false;
    if (isMapKind(to) && !sameSpace(group, m_graph.node(reader), gates))
        return false;
    for (const NodeId member : group.nodes)
        if (!mayCompute(host.selection(), member, gates) ||
            !gates.ask("implementation absorbs it",
                       m_catalog.absorbsPrologue(host.selection(), workload(member), host.anchor)))
            return false;
    return true;
}

} // namespace fw
