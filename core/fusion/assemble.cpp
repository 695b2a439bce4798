// A group of nodes that a pin or a rule names: whether they can be one, and what an implementation
// takes of it. What it does not take is stacked, nest after nest in one function, where a pin or
// `as stacked` says so.
#include "fusion/group_planner.h"
#include "strategy/branches.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

Selection GroupPlanner::choose(NodeId anchor, const std::string& use,
                               const std::vector<NodeId>& nodes) const {
    Selection out =
        m_catalog.select(workload(anchor), m_target, {use, m_pins.avoidedBy(nodes), nodes});
    if (const auto refused = m_refusedCalls.find(anchor); refused != m_refusedCalls.end())
        out.candidates.insert(out.candidates.end(), refused->second.begin(), refused->second.end());
    return out;
}

std::string GroupPlanner::bestOwn(const Selection& selection) const {
    Candidates own;
    for (const Candidate& candidate : selection.candidates)
        if (candidate.by && candidate.by->library() == nullptr)
            own.push_back(candidate);
    const std::optional<Choice> choice = chooseAmong(own);
    return choice ? own[choice->index].implementation : std::string();
}

std::string GroupPlanner::illegal(const std::vector<NodeId>& nodes) const {
    const std::set<NodeId> members(nodes.begin(), nodes.end());
    for (const NodeId id : nodes) {
        if (m_where.contains(id))
            return label(id) + " is in another group that a pin or rule made";
        if (isView(m_graph, m_graph.node(id)))
            return label(id) + " is a view, it computes nothing";
        if (m_facts.at(id).kind == FusionKind::Opaque)
            return fmt::format("{} has no tensor expression", m_graph.node(id).shownOp());
        for (const NodeId other : nodes)
            if (const auto pin = m_pins.apart(id, other))
                return fmt::format("{} and {} are kept apart, {}", label(id), label(other), *pin);
        if (const auto later = knownLater(nodes.front(), id))
            return *later;
    }
    if (const std::string back = wayBack(members); !back.empty())
        return "a path leaves the group and returns: " + back;
    return {};
}

NodeId GroupPlanner::anchorOf(const std::vector<NodeId>& nodes) const {
    NodeId out = nodes.front();
    for (const NodeId id : nodes)
        if (m_facts.at(id).kind > m_facts.at(out).kind)
            out = id;
    return out;
}

Forming GroupPlanner::assemble(const std::vector<NodeId>& nodes, NodeId anchor, Selection selection,
                               std::string& refusal) const {
    for (std::size_t i = 0; i < selection.branches.size();) {
        const Branch& branch = selection.branches[i];
        std::string why;
        if (branch.implementation->library() == nullptr)
            assembleBy(branch, nodes, anchor, why);
        if (why.empty()) {
            ++i;
            continue;
        }
        leaveOutBranch(selection, std::string(selection.branches[i].name), why, workload(anchor));
        i = 0; // others may be branches without it
    }
    Selection plain = selection;
    plain.branches.clear();
    Forming out = assemblePlain(nodes, anchor, std::move(plain), refusal);
    while (out.stacked && !selection.branches.empty())
        leaveOutBranch(selection, std::string(selection.branches.front().name),
                       fmt::format("{} computes a part of the group", selection.name),
                       workload(anchor));
    out.choose(std::move(selection));
    return out;
}

Forming GroupPlanner::assembleBy(const Computing& by, const std::vector<NodeId>& nodes,
                                 NodeId anchor, std::string& refusal) const {
    Selection alone;
    static_cast<Computing&>(alone) = by;
    return assemblePlain(nodes, anchor, std::move(alone), refusal);
}

// A call hands on one value: what follows it reads that value, and nobody else does.
bool GroupPlanner::continuesCall(const Forming& group, const Node& node) const {
    if (group.call.empty())
        return false;
    const ValueRef last{group.call.back(), 0};
    return !m_graph.isResult(last) && m_graph.uses(last).size() == 1 &&
           std::find(node.inputs.begin(), node.inputs.end(), last) != node.inputs.end();
}

Forming GroupPlanner::assemblePlain(const std::vector<NodeId>& nodes, NodeId anchor,
                                    Selection selection, std::string& refusal) const {
    Forming out;
    out.anchor = workload(anchor);
    out.choose(std::move(selection));
    out.anchored = !isMapKind(out.anchor.facts.kind);
    const auto note = [&](NodeId id, const Acceptance& answer) {
        if (!answer.yes() && refusal.empty())
            refusal =
                fmt::format("{}: {}", label(id),
                            Decision{{}, Verdict::No, answer.code, answer.evidence}.sentence());
    };
    const bool library = out.selection().implementation != nullptr &&
                         out.selection().implementation->library() != nullptr;
    std::size_t ended = 0; // of the call: up to there its chain may end
    std::string begun;     // the operator behind which it may not
    const auto take = [&](const Workload& next, const Acceptance& answer) {
        note(next.node->id, answer);
        if (!answer.yes())
            return;
        begun = answer.open ? next.node->name : std::string();
        if (library)
            out.call.push_back(next.node->id);
        ended = answer.open ? ended : out.call.size();
    };
    for (const NodeId id : nodes) {
        const Workload next = workload(id);
        if (library && id == anchor)
            out.call.push_back(id);
        if (m_position.at(id) < m_position.at(anchor))
            note(id, m_catalog.absorbsPrologue(out.selection(), next, out.anchor));
        else if (id != anchor && !isMapKind(next.facts.kind))
            note(id, {Verdict::No, ReasonCode::AlreadyAnchored,
                      fmt::format("{} and {}", out.anchor.node->op, next.node->op)});
        else if (library && id != anchor && !continuesCall(out, *next.node))
            note(id, {Verdict::No, ReasonCode::CannotAbsorb,
                      fmt::format("it does not follow {} alone", label(out.call.back()))});
        else if (library && id != anchor)
            take(next,
                 m_catalog.absorbsEpilogue(
                     out.selection(), {out.anchor, {out.call.begin() + 1, out.call.end()}}, next));
        else if (id != anchor)
            take(next, m_catalog.absorbsEpilogue(out.selection(), out.growing(), next));
        out.nodes.push_back(id);
        out.kind = out.nodes.size() == 1 ? next.facts.kind : std::max(out.kind, next.facts.kind);
    }
    if (!begun.empty()) {
        if (library)
            out.call.resize(std::max<std::size_t>(ended, 1));
        if (refusal.empty())
            refusal = fmt::format("{}: the chain {} does not end there", begun,
                                  out.selection().absorbs.chain);
    }
    out.stacked = !refusal.empty();
    return out;
}

std::vector<NodeId> GroupPlanner::inOrder(std::vector<NodeId> nodes) const {
    std::sort(nodes.begin(), nodes.end(),
              [&](NodeId a, NodeId b) { return m_position.at(a) < m_position.at(b); });
    return nodes;
}

void GroupPlanner::add(Forming group, std::string_view gate, ReasonCode code,
                       const std::string& evidence) {
    const std::size_t index = m_forming.size();
    for (const NodeId id : group.nodes)
        for (const ValueRef& input : m_graph.node(id).inputs)
            if (input.valid() && group.has(input.node)) {
                GateList gates(edgeName(input.node, id));
                gates.pass("convex", true, ReasonCode::NotConvex, "no path leaves the group");
                gates.ask(gate, {Verdict::Yes, code, evidence});
                record(gates.take(input.node, id));
            }
    group.given = true;
    group.waiting = true;
    m_forming.push_back(std::move(group));
    for (const NodeId id : m_forming[index].nodes)
        claim(index, id);
}

} // namespace fw
