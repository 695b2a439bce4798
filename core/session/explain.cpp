#include "session/explain.h"

#include "fusion/branches.h"
#include "fusion/computable.h"
#include "session/decision_records.h"
#include "session/makers.h"
#include "session/path_outside.h"
#include "session/runnable.h"

#include <fmt/format.h>

namespace fw {

using namespace snapshot;

const Node* nodeNamed(const Graph& graph, const std::string& name) {
    if (name.size() < 2 || name[0] != '#')
        return graph.findByName(name);
    NodeId id = -1;
    for (std::size_t i = 1;
         i < name.size() && name[i] >= '0' && name[i] <= '9' && id < (NodeId(1) << 50); ++i)
        id = (id < 0 ? 0 : id * 10) + (name[i] - '0');
    return graph.find(id);
}

const Node* holderAt(const Graph& graph, std::string_view path) {
    for (const NodePtr& node : graph.nodes())
        for (const Body& body : node->bodies) {
            const std::string prefix = fmt::format("{}/{}/", node->name, body.name);
            if (!path.starts_with(prefix))
                continue;
            const std::string_view inside = path.substr(prefix.size());
            if (const Node* found = body.graph->findByName(std::string(inside));
                (found != nullptr && isOperator(*found)) || holderAt(*body.graph, inside))
                return node.get();
        }
    return nullptr;
}

Result<const Node*> findNode(const Graph& graph, const std::string& name) {
    const Node* found = nodeNamed(graph, name);
    if (found == nullptr || !isOperator(*found)) {
        if (const Node* holder = holderAt(graph, name))
            return makeDiag(DiagCode::UnknownName,
                            fmt::format("{} stands inside {}", name, holder->name), {},
                            "name " + holder->name + ", which is planned as a whole");
        std::string near;
        for (const NodePtr& node : graph.nodes())
            if (isOperator(*node) && near.size() < 120)
                near += (near.empty() ? "" : ", ") + node->name;
        return makeDiag(DiagCode::UnknownName, fmt::format("there is no operator named {}", name),
                        {}, "operators of the planned graph: " + near + " ...");
    }
    return found;
}

namespace {

ExplainDocument explainEdge(const Graph& graph, const FusionPlan& plan, const EdgeDecision& edge) {
    ExplainDocument out;
    const Node &from = graph.node(edge.from), &to = graph.node(edge.to);
    out.subject = fmt::format("{} and {}", from.name, to.name);
    out.nodes = {from.id, to.id};
    if (plan.groupOf.at(from.id) == plan.groupOf.at(to.id))
        out.group = plan.groupOf.at(from.id);
    out.verdict = DecisionVerdict::of(verdictText(edge.decision.verdict));
    out.code = codeText(edge.decision.code);
    out.sentence = fmt::format("{} is {}fused with {}: {}", to.name,
                               edge.decision.verdict == Verdict::Yes ? "" : "not ", from.name,
                               edge.decision.sentence());
    for (const Gate& gate : edge.gates)
        out.gates.push_back(
            {std::string(gate.name), gate.pass,
             gate.pass ? std::string() : std::string(codeText(edge.decision.code)),
             gate.pass || !gate.evidence.empty() ? gate.evidence.str() : edge.decision.evidence});
    out.decisions.push_back(decisionRecord(graph, edge));
    if (edge.decision.verdict == Verdict::No && edge.decision.code == ReasonCode::ValueEscapes)
        for (const NodeId id : pathOutside(graph, plan, from.id, to.id))
            out.way.push_back({id, graph.node(id).name});
    return out;
}

ExplainDocument explainNode(const Graph& graph, const FusionPlan& plan, const Node& node) {
    ExplainDocument out;
    const Group& group = plan.groupAt(node.id);
    out.subject = node.name;
    out.nodes = group.nodes;
    out.group = group.id;
    out.verdict = "note";
    for (const Candidate& candidate : group.candidates) {
        const CandidateRecord row = candidateRecord(candidate);
        out.gates.push_back({candidate.implementation, row.verdict != "refused", row.code,
                             row.sentence, row.verdict});
        if (candidate.chosen)
            out.code = row.code;
    }
    if (group.isView()) {
        out.code = codeText(ReasonCode::ViewOf);
        out.sentence = fmt::format("{} is a view: nothing is computed", node.name);
    } else if (group.isOpaque()) {
        out.code = codeText(ReasonCode::OpaqueGroup);
        const auto why = withoutAnything(graph, node);
        out.sentence = fmt::format("{} is an opaque group of its own: nothing computes {}{}",
                                   node.name, node.shownOp(), why ? ": " + why->message : "");
    } else if (group.isHost()) {
        const bool isNative = !group.runtimeKernel.empty();
        out.code = codeText(isNative ? ReasonCode::RuntimeComputes : ReasonCode::HostComputes);
        out.sentence =
            fmt::format("{} is a group of its own: no code is made for it, {} computes it",
                        node.name, isNative ? "a kernel of the runtime" : "its reference");
    } else {
        const std::string by =
            group.kind == GroupKind::Choice ? branchesText(group) : group.implementation;
        out.sentence = group.nodes.size() == 1
                           ? fmt::format("{} is a group of its own, computed by {}", node.name, by)
                           : fmt::format("{} is computed in {} with {} other operators, by {}",
                                         node.name, group.name, group.nodes.size() - 1, by);
    }
    for (const EdgeDecision& edge : plan.edges)
        if (edge.from == node.id || edge.to == node.id)
            out.decisions.push_back(decisionRecord(graph, edge));
    for (const Decision& notice : plan.notices)
        if (notice.subject == node.name) {
            out.decisions.push_back(decisionRecord(notice));
            out.decisions.back().fromId = node.id;
        }
    return out;
}

} // namespace

Result<ExplainDocument> explain(const Graph& graph, const FusionPlan& plan,
                                const std::vector<std::string>& nodes) {
    if (nodes.empty() || nodes.size() > 2)
        return makeDiag(DiagCode::Usage, "explain takes one operator or two", {},
                        "fw explain MODEL NODE [NODE]");
    FW_TRY(const Node* first, findNode(graph, nodes[0]));
    if (nodes.size() == 1)
        return explainNode(graph, plan, *first);
    FW_TRY(const Node* second, findNode(graph, nodes[1]));
    if (const EdgeDecision* edge = plan.edge(first->id, second->id))
        return explainEdge(graph, plan, *edge);
    if (const EdgeDecision* edge = plan.edge(second->id, first->id))
        return explainEdge(graph, plan, *edge);
    ExplainDocument out;
    const bool together = plan.groupOf.at(first->id) == plan.groupOf.at(second->id);
    out.subject = fmt::format("{} and {}", first->name, second->name);
    out.nodes = {first->id, second->id};
    if (together)
        out.group = plan.groupOf.at(first->id);
    out.verdict = together ? DecisionVerdict("yes") : "no";
    const ReasonCode code = together ? ReasonCode::Fused : ReasonCode::NotConnected;
    const std::string evidence = together ? plan.groupAt(first->id).name : out.subject;
    out.code = codeText(code);
    out.sentence = Decision{out.subject, Verdict::Note, code, evidence}.sentence();
    out.gates.push_back({"connected by a value", together, out.code, evidence});
    return out;
}

} // namespace fw
