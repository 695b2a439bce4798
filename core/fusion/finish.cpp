// What was formed becomes a plan: groups in an order in which they can run, a decision for every
// edge.
#include "fusion/branches.h"
#include "fusion/computable.h"
#include "fusion/group_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace fw {

namespace {

// As it may stand in the name of a group: what an unknown operator is called is a stranger's text.
std::string nameOf(const Node& node) {
    if (!node.isUnknown())
        return node.op;
    std::string out = node.shownOp();
    for (char& c : out)
        if (static_cast<unsigned char>(c) >= 128 ||
            std::isalnum(static_cast<unsigned char>(c)) == 0)
            c = '_';
    return out;
}

std::string computedBy(const Forming& forming) {
    if (forming.host.empty())
        return forming.selection().name;
    return forming.runtimeKernel.empty() ? std::string("its reference")
                                         : forming.runtimeKernel + " of the runtime";
}

std::string listOf(const std::vector<Symbol>& dims) {
    std::string out;
    for (const Symbol& dim : dims)
        out += (out.empty() ? "" : ", ") + dim.text();
    return out;
}

Absorbs absorbsOf(const Group& part) {
    for (const Candidate& candidate : part.candidates)
        if (candidate.implementation == part.implementation)
            return candidate.absorbs;
    return {};
}

} // namespace

Group GroupPlanner::describe(const Forming& forming) const {
    Group group;
    group.nodes = forming.nodes;
    group.anchor = forming.anchor.node->id;
    group.work.kind = forming.anchor.facts.kind;
    group.work.work = forming.anchor.facts.work;
    describeNodes(group);
    group.source = "only";
    if (forming.view) {
        group.becomeView();
        group.source = "only";
    } else if (forming.opaque) {
        group.kind = GroupKind::Opaque;
    } else if (!forming.host.empty()) {
        group.kind = GroupKind::Host;
        group.runtimeKernel = forming.runtimeKernel;
        group.candidates = forming.selection().candidates;
    } else {
        describeCode(forming, group);
    }
    return group;
}

void GroupPlanner::describeNodes(Group& group) const {
    const std::set<NodeId> members(group.nodes.begin(), group.nodes.end());
    std::set<ValueRef> seen;
    for (const NodeId id : group.nodes) {
        const Node& node = m_graph.node(id);
        const Facts& facts = m_facts.at(id);
        group.name += (group.name.empty() ? "" : "_") + nameOf(node);
        group.work.flops += facts.flops;
        group.work.transcendentals += facts.transcendentals;
        for (const ValueRef& input : node.inputs)
            if (input.valid() && !members.contains(input.node) && seen.insert(input).second)
                group.inputs.push_back(input);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueRef value{id, static_cast<int>(i)};
            bool outside = m_graph.isResult(value);
            for (const Use& use : m_graph.uses(value))
                outside = outside || !members.contains(use.node);
            if (outside)
                group.outputs.push_back(value);
        }
    }
    // A long name says how it begins and how many there are.
    if (group.name.size() > 100)
        group.name = fmt::format("{}_and_{}_more", group.name.substr(0, group.name.find('_', 40)),
                                 group.nodes.size());
    // A node nobody reads is still computed: its first output stands for it.
    if (group.outputs.empty())
        group.outputs.push_back({group.nodes.back(), 0});
    for (const ValueRef& input : group.inputs)
        group.work.bytesRead += bytesOf(m_graph, input);
    for (const ValueRef& output : group.outputs)
        group.work.bytesWritten += bytesOf(m_graph, output);
}

void GroupPlanner::describeCode(const Forming& forming, Group& group) const {
    const Selection& selection = forming.selection();
    group.implementation = selection.name;
    group.by = selection.implementation;
    group.kind = group.by->library() != nullptr ? GroupKind::Call : GroupKind::Kernel;
    group.source = selection.source;
    group.untuned = selection.untuned;
    group.candidates = selection.candidates;
    group.warnings = forming.warnings;
    group.stacked = forming.stacked;
    group.call = forming.call;
    for (Candidate& candidate : group.candidates)
        if (candidate.by)
            candidate.estimateUs = candidate.by->estimate(group.work, forming.anchor, m_target);
    group.estimateUs = group.by->estimate(group.work, forming.anchor, m_target);
    divideByBranches(selection.branches, group);
    for (Group& part : group.parts)
        if (part.kind == GroupKind::Call && part.when) {
            std::string rest; // what its call does not take, kernels do
            Forming alone = assembleBy({part.by, part.implementation, absorbsOf(part)}, part.nodes,
                                       part.anchor, rest);
            part.stacked = alone.stacked;
            part.call = std::move(alone.call);
        }
}

// Results that nobody reads are no outputs of a group, and what only they need is not computed.
void GroupPlanner::noteUnread(const Group& group) {
    if (!group.hasCode())
        return;
    for (const NodeId id : group.nodes) {
        const Node& node = m_graph.node(id);
        std::string unread;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueRef value{id, static_cast<int>(i)};
            const bool isOutput =
                std::find(group.outputs.begin(), group.outputs.end(), value) != group.outputs.end();
            if (!isOutput && m_graph.uses(value).empty() && !m_graph.isResult(value))
                unread += (unread.empty() ? "" : ", ") + node.outputs[i].name;
        }
        if (!unread.empty())
            m_plan.notices.push_back({node.name, Verdict::Note, ReasonCode::ResultUnread,
                                      fmt::format("{} of {}", unread, node.op)});
    }
}

// Gives every edge between operators a decision and puts the groups in order.
void GroupPlanner::finish() {
    tellPinsNotFollowed();
    std::set<NodeId> listed; // what the node reads
    for (const NodePtr& node : m_graph.nodes()) {
        if (!isOperator(*node))
            continue;
        listed.clear();
        for (const ValueRef& input : node->inputs) {
            if (!input.valid() || !isOperator(m_graph.node(input.node)) ||
                !listed.insert(input.node).second)
                continue;
            const bool together = m_where.at(input.node) == m_where.at(node->id);
            auto found = m_edges.find({input.node, node->id});
            // What was refused on one way may have been taken on another.
            const bool stale = found != m_edges.end() &&
                               (found->second.decision.verdict == Verdict::Yes) != together;
            if (found == m_edges.end() || stale) {
                record(unvisited(input, *node));
                found = m_edges.find({input.node, node->id});
            }
            m_plan.edges.push_back(std::move(found->second));
        }
    }
    m_plan.edges.shrink_to_fit();
    m_edges.clear();
    std::vector<Group> groups;
    groups.reserve(m_forming.size());
    for (Forming& kept : m_forming) {
        const Forming forming = std::exchange(kept, {}); // it goes on as a group
        if (forming.nodes.empty())
            continue;
        groups.push_back(describe(forming));
        noteUnread(groups.back());
        if (forming.opaque)
            m_plan.notices.push_back(
                {forming.anchor.node->name, Verdict::Note, ReasonCode::OpaqueGroup,
                 obstacleOf(m_graph, *forming.anchor.node, m_missing).message});
        if (!forming.host.empty())
            m_plan.notices.push_back({forming.anchor.node->name, Verdict::Note,
                                      forming.runtimeKernel.empty() ? ReasonCode::HostComputes
                                                                    : ReasonCode::RuntimeComputes,
                                      forming.host});
        if (const auto bound = dimsBoundBy(m_graph.operators(), *forming.anchor.node);
            !bound.empty())
            m_plan.notices.push_back(
                {forming.anchor.node->name, Verdict::Note, ReasonCode::SizesBound, listOf(bound)});
        m_plan.notices.insert(m_plan.notices.end(), forming.selection().notices.begin(),
                              forming.selection().notices.end());
        m_plan.notices.insert(m_plan.notices.end(), forming.warnings.begin(),
                              forming.warnings.end());
        for (const Candidate& candidate : forming.selection().candidates)
            if (candidate.code == ReasonCode::PinAvoids)
                m_plan.notices.push_back(
                    {forming.anchor.node->name, Verdict::No, candidate.code,
                     fmt::format("{}, computed by {}", candidate.evidence, computedBy(forming))});
    }
    order(std::move(groups));
}

// The reason for an edge that no growing group looked at.
EdgeDecision GroupPlanner::unvisited(ValueRef value, const Node& reader) const {
    GateList gates(edgeName(value.node, reader.id));
    const Forming& from = m_forming[m_where.at(value.node)];
    const Forming& to = m_forming[m_where.at(reader.id)];
    if (&from == &to)
        gates.ask("in the same group", {Verdict::Yes, ReasonCode::Fused, from.anchor.node->name});
    else if (from.opaque || to.opaque)
        gates.pass(
            "has a tensor expression", false, ReasonCode::OpaqueOperator,
            fmt::format("{} is not {}", (from.opaque ? from : to).anchor.node->shownOp(),
                        (from.opaque ? from : to).anchor.node->isUnknown() ? "known" : "computed"));
    else if (!from.host.empty() || !to.host.empty())
        gates.pass("has code", false,
                   (from.host.empty() ? to : from).runtimeKernel.empty()
                       ? ReasonCode::HostComputes
                       : ReasonCode::RuntimeComputes,
                   (from.host.empty() ? to : from).host);
    else if (const auto later = knownLater(value.node, reader.id))
        gates.pass("sizes known together", false, ReasonCode::SizesLater, *later);
    else if (from.view)
        gates.pass("has a tensor expression", false, ReasonCode::ViewOf,
                   m_graph.node(value.node).op);
    else if (isFurther(value))
        gates.pass("first result", false, ReasonCode::ValueEscapes,
                   fmt::format("{} is a further result of {}, which is stored",
                               m_graph.output(value).name, label(value.node)));
    else if (from.nodes.back() != value.node)
        gates.pass("single way out", false, ReasonCode::ValueEscapes,
                   label(value.node) + " is used inside its group too");
    else if (m_graph.uses(value).size() > 1)
        gates.pass("single way out", false, ReasonCode::ValueEscapes,
                   fmt::format("{} readers", m_graph.uses(value).size()));
    else
        gates.pass("not taken by another group", false, ReasonCode::TakenByOther,
                   whose(reader.id, to));
    return gates.take(value.node, reader.id);
}

std::string GroupPlanner::whose(NodeId id, const Forming& group) const {
    if (group.anchor.node->id == id)
        return label(id) + " is the anchor of a group";
    return fmt::format("{} is in the group of {}", label(id), group.anchor.node->name);
}

// Groups by level, then in topological order of their dependencies, ties by first node.
void GroupPlanner::order(std::vector<Group> groups) {
    struct GroupOrder {
        int level = 0;
        std::size_t position = 0; // of the first node
        std::size_t group = 0;
        auto operator<=>(const GroupOrder&) const = default;
    };
    std::vector<GroupOrder> places;
    places.reserve(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g)
        places.push_back(
            {m_levels.of(groups[g].nodes.front()), m_position.at(groups[g].nodes.front()), g});
    std::sort(places.begin(), places.end());
    NodeTable<std::size_t> where(m_graph);
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const NodeId id : groups[g].nodes)
            where.set(id, g);
    m_plan.groups.reserve(groups.size());
    std::vector<bool> done(groups.size(), false);
    const auto isReady = [&](const Group& group) {
        return std::all_of(group.inputs.begin(), group.inputs.end(), [&](const ValueRef& input) {
            const std::size_t* producer = where.find(input.node);
            return producer == nullptr || done[*producer];
        });
    };
    for (auto begin = places.begin(); begin != places.end();) {
        const auto end = std::find_if(begin, places.end(), [&](const GroupOrder& place) {
            return place.level != begin->level;
        });
        const std::size_t wanted = m_plan.groups.size() + static_cast<std::size_t>(end - begin);
        while (m_plan.groups.size() < wanted) {
            const std::size_t before = m_plan.groups.size();
            for (auto place = begin; place != end; ++place) {
                const std::size_t g = place->group;
                if (done[g] || !isReady(groups[g]))
                    continue;
                done[g] = true;
                Group group = std::move(groups[g]);
                group.id = static_cast<int>(m_plan.groups.size());
                group.name += fmt::format("_{}", group.id);
                for (Group& part : group.parts)
                    part.name = group.name;
                for (const NodeId id : group.nodes)
                    m_plan.groupOf[id] = group.id;
                m_plan.groups.push_back(std::move(group));
            }
            if (m_plan.groups.size() == before)
                throw InternalError("groups depend on each other in a cycle");
        }
        begin = end;
    }
}

} // namespace fw
