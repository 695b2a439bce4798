// Growth: a group starts at an operator and takes readers while the books open the way and the
// chosen implementation absorbs them.
//
// A value that is read several times does not end a group if all ways out meet again: then
// everything up to there joins, or nothing does.
#include "fusion/computable.h"
#include "fusion/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

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

bool GroupPlanner::isFurther(ValueRef value) const {
    return value.output > 0 && m_facts.at(value.node).kind > FusionKind::Injective;
}

std::vector<NodeId> GroupPlanner::readersOf(const Forming& group) const {
    std::vector<NodeId> out;
    for (const NodeId id : group.nodes)
        for (std::size_t i = 0; i < m_graph.node(id).outputs.size(); ++i)
            if (const ValueRef value{id, static_cast<int>(i)}; !isFurther(value))
                for (const Use& use : m_graph.uses(value))
                    if (!group.has(use.node) &&
                        std::find(out.begin(), out.end(), use.node) == out.end())
                        out.push_back(use.node);
    std::sort(out.begin(), out.end(),
              [&](NodeId a, NodeId b) { return m_position.at(a) < m_position.at(b); });
    return out;
}

std::size_t GroupPlanner::operandCount(const std::set<NodeId>& nodes) const {
    std::set<ValueRef> read;
    for (const NodeId id : nodes)
        for (const ValueRef& input : m_graph.node(id).inputs)
            if (input.valid() && !nodes.contains(input.node))
                read.insert(input);
    return read.size();
}

// Groups count as one: a way that enters another group may leave it anywhere.
std::string GroupPlanner::wayBack(const std::set<NodeId>& nodes) const {
    // Behind `last` no way comes back: there is no group around it that begins before.
    std::size_t last = 0;
    for (const NodeId id : nodes)
        last = std::max(last, m_position.at(id));
    while (m_reach.upTo(last) > last)
        last = m_reach.upTo(last);
    std::map<NodeId, NodeId> from; // outside node -> where the way came from
    std::vector<NodeId> open(nodes.begin(), nodes.end());
    const auto reach = [&](NodeId id, NodeId by) {
        if (!from.emplace(id, by).second)
            return;
        open.push_back(id);
        if (const std::size_t* group = m_where.find(id))
            for (const NodeId other : m_forming[*group].nodes)
                if (!nodes.contains(other) && from.emplace(other, id).second)
                    open.push_back(other);
    };
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        for (std::size_t i = 0; i < m_graph.node(id).outputs.size(); ++i)
            for (const Use& use : m_graph.uses({id, static_cast<int>(i)})) {
                if (!nodes.contains(use.node)) {
                    if (m_position.at(use.node) <= last)
                        reach(use.node, id);
                    continue;
                }
                if (nodes.contains(id))
                    continue;
                std::string path = label(use.node);
                NodeId at = id;
                for (; !nodes.contains(at); at = from.at(at))
                    path = label(at) + ", " + path;
                return label(at) + ", " + path;
            }
    }
    return {};
}

std::vector<NodeId> GroupPlanner::wayOut(const Forming& group, const std::vector<NodeId>& readers,
                                         std::string& why) const {
    const auto before = [&](NodeId a, NodeId b) { return m_position.at(a) < m_position.at(b); };
    std::set<NodeId, decltype(before)> open(readers.begin(), readers.end(), before);
    std::vector<NodeId> way;
    while (true) {
        const NodeId id = *open.begin();
        open.erase(open.begin());
        way.push_back(id);
        if (open.empty())
            return way;
        const Node& node = m_graph.node(id);
        bool read = false;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueRef value{id, static_cast<int>(i)};
            if (m_graph.isResult(value)) {
                why = fmt::format("{}, of which {} is a result of the model", labels(readers),
                                  node.outputs[i].name);
                return {};
            }
            for (const Use& use : m_graph.uses(value)) {
                read = true;
                if (!group.has(use.node))
                    open.insert(use.node);
            }
        }
        // Only what could join is worth following.
        const FusionKind kind = m_facts.at(id).kind;
        if (!read || kind > FusionKind::Injective || way.size() > 64 || isView(m_graph, node)) {
            why = labels(readers);
            return {};
        }
    }
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
    const Forming before = group;
    const std::vector<NodeId> readers = readersOf(before);
    if (readers.empty()) {
        out.why = "nothing reads " + label(before.nodes.back());
        return out;
    }
    const auto sources = [&](NodeId reader, const Forming& from) {
        std::vector<NodeId> found;
        for (const ValueRef& input : m_graph.node(reader).inputs)
            if (input.valid() && from.has(input.node) &&
                std::find(found.begin(), found.end(), input.node) == found.end())
                found.push_back(input.node);
        return found;
    };
    const auto refuse = [&](NodeId reader, std::string_view gate, ReasonCode code,
                            const std::string& why) {
        for (const NodeId from : sources(reader, before)) {
            GateList gates(edgeName(from, reader));
            gates.pass(gate, false, code, why);
            out.why = gates.reason();
            out.edges.push_back(gates.take(from, reader));
        }
    };
    // What refuses the first reader refuses them all.
    const auto refuseAll = [&](std::string_view gate, ReasonCode code, const std::string& why) {
        for (const NodeId reader : readers)
            refuse(reader, gate, code, why);
        return std::move(out);
    };
    for (const NodeId id : before.nodes)
        for (std::size_t i = 0; i < m_graph.node(id).outputs.size(); ++i)
            if (const ValueRef value{id, static_cast<int>(i)};
                m_graph.isResult(value) && !isFurther(value))
                return refuseAll("not a result of the model", ReasonCode::ValueIsResult,
                                 m_graph.output(value).name);
    std::vector<NodeId> way = readers;
    if (readers.size() > 1) {
        std::string why;
        way = wayOut(before, readers, why);
        if (way.empty())
            return refuseAll("single way out", ReasonCode::ValueEscapes, why);
    }
    for (const NodeId next : way) {
        const std::vector<NodeId> from = sources(next, group);
        GateList gates(edgeName(from.front(), next));
        gates.pass("single way out", true, ReasonCode::ValueEscapes,
                   way.size() == 1 ? "one reader"
                                   : fmt::format("all ways meet in {}", label(way.back())));
        if (!join(group, from.front(), next, gates)) {
            group = before;
            out.edges.clear();
            for (const NodeId source : from)
                if (before.has(source))
                    out.edges.push_back(gates.take(source, next));
            // All or nothing: the readers that could have joined are refused for this one.
            const std::string reason =
                fmt::format("{}: {} cannot join, {}", labels(readers), label(next), gates.reason());
            if (way.size() > 1)
                for (const NodeId reader : readers)
                    if (reader != next)
                        refuse(reader, "single way out", ReasonCode::ValueEscapes, reason);
            out.why = way.size() == 1 ? gates.reason() : reason;
            return out;
        }
        for (const NodeId source : from)
            out.edges.push_back(gates.take(source, next));
        group.nodes.push_back(next);
        group.kind = std::max(group.kind, m_facts.at(next).kind);
        if (const auto full = pull(group, next, out.edges); full && way.size() == 1) {
            group = before;
            out.edges.clear();
            refuse(next, "size of the group", full->code, full->evidence);
            return out;
        }
        group.nodes = inOrder(std::move(group.nodes));
    }
    out.joined = true;
    return out;
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

std::optional<std::string> GroupPlanner::knownLater(NodeId a, NodeId b) const {
    const int first = m_levels.of(a), second = m_levels.of(b);
    if (first == second)
        return std::nullopt;
    return fmt::format("{} waits for {} binding operator{} more than {}",
                       label(first < second ? b : a), std::abs(first - second),
                       std::abs(first - second) == 1 ? "" : "s", label(first < second ? a : b));
}

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
    const GrowRule* rule = m_book.grow(group.kind, next.facts.kind, GrowDirection::Forward);
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
    const Answer answer = m_catalog.absorbsEpilogue(group.selection(), group.growing(), next);
    if (!gates.ask("implementation absorbs it", answer))
        return false;
    group.open = answer.open;
    if (!group.call.empty() && !group.stacked)
        group.call.push_back(next.node->id);
    return true;
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
    const GrowRule* rule = m_book.grow(group.kind, next.facts.kind, GrowDirection::Into);
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
    const GrowRule* rule = m_book.grow(group.kind, to, GrowDirection::Into);
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
