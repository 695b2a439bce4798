// A group while it is formed, and the gates of its edges.
#include "fusion/group_planner.h"

#include <algorithm>

namespace fw {

const Selection& Forming::selection() const {
    static const Selection none;
    return chosen ? *chosen : none;
}

void Forming::choose(Selection selection) {
    chosen = std::make_shared<const Selection>(std::move(selection));
}

bool Forming::has(NodeId id) const {
    return std::find(nodes.begin(), nodes.end(), id) != nodes.end();
}

Growing Forming::growing() const {
    const auto after = std::find(nodes.begin(), nodes.end(), anchor.node->id) + 1;
    return {anchor, {after, nodes.end()}};
}

bool GateList::pass(std::string_view name, bool ok, ReasonCode code, std::string evidence) {
    m_edge.gates.push_back({name, ok, evidence});
    if (!ok)
        decide(Verdict::No, code, std::move(evidence));
    return ok;
}

bool GateList::ask(std::string_view name, const Acceptance& answer) {
    m_edge.gates.push_back({name, answer.yes(), answer.evidence});
    decide(answer.verdict, answer.code, answer.evidence);
    return answer.yes();
}

EdgeDecision GateList::take(NodeId from, NodeId to) const {
    EdgeDecision out = m_edge;
    out.from = from;
    out.to = to;
    return out;
}

void GroupPlanner::record(EdgeDecision edge) {
    for (Gate& gate : edge.gates)
        gate.evidence = !gate.pass && gate.evidence == edge.decision.evidence
                            ? SharedText()
                            : m_evidence(gate.evidence.str());
    m_edges.insert_or_assign({edge.from, edge.to}, std::move(edge));
}

void GateList::decide(Verdict verdict, ReasonCode code, std::string evidence) {
    m_edge.decision.verdict = verdict;
    m_edge.decision.code = code;
    m_edge.decision.evidence = std::move(evidence);
}

} // namespace fw
