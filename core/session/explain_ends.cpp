#include "session/explain_ends.h"

#include "ir/missing_type.h"
#include "session/explain.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

std::string readerCount(std::size_t count) {
    return count == 0   ? std::string("nobody reads it")
           : count == 1 ? std::string("1 operator reads it")
                        : fmt::format("{} operators read it", count);
}

// Who reads what the node holds, each once, in the order of the graph.
std::vector<NodeId> operatorsThatRead(const Graph& graph, const Node& node) {
    std::vector<NodeId> out;
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        for (const Use& use : graph.uses({node.id, static_cast<int>(i)}))
            if (std::find(out.begin(), out.end(), use.node) == out.end())
                out.push_back(use.node);
    return out;
}

std::string whereItReads(const FusionPlan& plan, NodeId node) {
    const auto group = plan.groupOf.find(node);
    return group == plan.groupOf.end() ? std::string("reads it")
                                       : "reads it, in " + plan.groupAt(node).name;
}

} // namespace

std::optional<ExplainDocument> explainEnds(const Graph& graph, const FusionPlan& plan,
                                           const std::vector<std::string>& nodes) {
    const Node* end = nullptr;
    ExplainDocument out;
    for (const std::string& name : nodes) {
        const Node* node = nodeNamed(graph, name);
        if (node == nullptr)
            return {};
        if (end == nullptr && !isOperator(*node))
            end = node;
        out.nodes.push_back(node->id);
        out.subject += (out.subject.empty() ? "" : " and ") + node->name;
    }
    if (end == nullptr)
        return {};
    const std::vector<NodeId> readers = operatorsThatRead(graph, *end);
    out.verdict = "note";
    out.sentence =
        fmt::format("{} is {} of the model, {}: {}{}", end->name,
                    end->isConstant() || isForeignConstant(*end) ? "a constant" : "an input",
                    shownType(graph, {end->id, 0}), readerCount(readers.size()),
                    nodes.size() > 1 ? ", and nothing that is computed could be fused there" : "");
    for (const NodeId reader : readers) {
        DecisionRecord row;
        row.from = end->name;
        row.fromId = end->id;
        row.to = graph.node(reader).name;
        row.toId = reader;
        row.verdict = "note";
        row.sentence = whereItReads(plan, reader);
        out.decisions.push_back(std::move(row));
    }
    return out;
}

} // namespace fw
