// What was decided, as records and as sentences.
#pragma once

#include "fusion/plan.h"
#include "snapshot/records.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace fw {

std::string reasonText(const Decision& decision); // "LAY01 stored in another order: ..."
std::string noticeText(const Decision& decision); // "LAY01 y: stored in another order: ..."

snapshot::CandidateRecord candidateRecord(const Candidate& candidate);
snapshot::DecisionRecord decisionRecord(const Decision& decision);
snapshot::DecisionRecord decisionRecord(const Graph& graph, const EdgeDecision& edge);

// Records of what was decided about a graph, each with the node that it is about, if it is one.
class AboutNodes {
public:
    explicit AboutNodes(const Graph& graph) : m_graph(graph) {}

    snapshot::DecisionRecord record(const Decision& decision);

private:
    void know();

    const Graph& m_graph;
    std::unordered_map<std::string_view, NodeId> m_nodes; // once it is needed
};

} // namespace fw
