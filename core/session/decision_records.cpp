#include "session/decision_records.h"

#include "session/makers.h"

#include <fmt/format.h>

namespace fw {

using namespace snapshot;

CandidateRecord candidateRecord(const Candidate& candidate) {
    CandidateRecord out;
    out.name = candidate.implementation;
    out.maker = makerOf(candidate);
    out.verdict = candidate.chosen || candidate.branch ? CandidateVerdict("chosen")
                  : candidate.verdict == Verdict::Yes  ? CandidateVerdict("ready")
                                                       : "refused";
    out.code = codeText(candidate.code);
    out.sentence = Decision{{}, candidate.verdict, candidate.code, candidate.evidence}.sentence();
    out.priority = candidate.priority;
    out.guard = candidate.guard;
    out.level = candidate.level;
    out.place = candidate.place;
    out.measuredUs = candidate.measuredUs;
    if (candidate.verdict == Verdict::Yes || candidate.branch)
        out.estUs = candidate.estimateUs;
    return out;
}

DecisionRecord decisionRecord(const Decision& decision) {
    DecisionRecord out;
    out.from = decision.subject;
    out.fromId = noNode;
    out.verdict = DecisionVerdict::of(verdictText(decision.verdict));
    out.code = codeText(decision.code);
    out.sentence = decision.sentence();
    return out;
}

DecisionRecord decisionRecord(const Graph& graph, const EdgeDecision& edge) {
    DecisionRecord out = decisionRecord(edge.decision);
    out.from = graph.node(edge.from).name;
    out.to = graph.node(edge.to).name;
    out.fromId = edge.from;
    out.toId = edge.to;
    return out;
}

DecisionRecord AboutNodes::record(const Decision& decision) {
    if (m_nodes.empty())
        know();
    DecisionRecord out = decisionRecord(decision);
    if (const auto node = m_nodes.find(decision.subject); node != m_nodes.end())
        out.fromId = node->second;
    return out;
}

void AboutNodes::know() {
    m_nodes.reserve(2 * m_graph.nodes().size());
    for (const NodePtr& node : m_graph.nodes())
        m_nodes.emplace(node->name, node->id);
    for (const NodePtr& node : m_graph.nodes())
        for (const Output& output : node->outputs)
            m_nodes.emplace(output.name, node->id);
}

std::string reasonText(const Decision& decision) {
    return fmt::format("{} {}", codeText(decision.code), decision.sentence());
}

std::string noticeText(const Decision& decision) {
    return fmt::format("{} {}: {}", codeText(decision.code), decision.subject, decision.sentence());
}

} // namespace fw
