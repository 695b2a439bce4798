#include "rewrite/history.h"

#include "rewrite/origins.h"

#include <algorithm>

namespace fw {

Work workOf(const Graph& graph, const std::vector<NodePtr>& nodes) {
    Work out;
    for (const NodePtr& node : nodes) {
        if (node->isLeaf())
            continue;
        const auto facts = graph.operators().find(node->op)->facts(callOf(graph, *node));
        if (!facts)
            continue; // of an operator that nobody can compute nothing is known
        out.flops += facts->flops + 12 * facts->transcendentals;
        out.bytes += facts->bytesRead + facts->bytesWritten;
    }
    return out;
}

RewriteHistory::RewriteHistory(const GraphPtr& graph, const std::vector<Application>& applications)
    : m_graph(graph), m_applications(applications) {}

GraphEditor& RewriteHistory::editorOf(const GraphPtr& body) {
    const Graph& graph = body ? *body : *m_graph;
    std::unique_ptr<GraphEditor>& editor = m_editors[&graph];
    if (!editor) {
        editor = std::make_unique<GraphEditor>(graph);
        editor->removeUnused(); // as the driver begins
    }
    return *editor;
}

void RewriteHistory::step() {
    editorOf(next().body).redo(next().step);
    ++m_done;
}

Result<GraphPtr> RewriteHistory::finished(const GraphPtr& graph) {
    if (const auto known = m_finished.find(graph.get()); known != m_finished.end())
        return known->second;
    std::unique_ptr<GraphEditor>& editor = m_editors[graph.get()];
    bool changed = editor != nullptr;
    const std::vector<NodePtr> nodes = editor ? editor->graph().nodes() : graph->nodes();
    for (const NodePtr& node : nodes) {
        std::vector<Body> bodies = node->bodies;
        bool otherBodies = false;
        for (Body& body : bodies) {
            FW_TRY(const GraphPtr behind, finished(body.graph));
            otherBodies = otherBodies || behind != body.graph;
            body.graph = behind;
        }
        if (!otherBodies)
            continue;
        if (!editor)
            editor = std::make_unique<GraphEditor>(*graph);
        editor->setBodies(node->id, std::move(bodies));
        changed = true;
    }
    GraphPtr out = graph;
    if (changed) {
        giveOrigins(*editor, m_applications, graph == m_graph ? GraphPtr() : graph);
        FW_TRY(out, editor->finish());
    }
    m_finished.emplace(graph.get(), out);
    return out;
}

Result<GraphPtr> RewriteHistory::finish() {
    return finished(m_graph);
}

Result<GraphPtr> graphBehind(const GraphPtr& graph, const std::vector<Application>& applications,
                             std::size_t count) {
    RewriteHistory history(graph, applications);
    while (history.done() < count && !history.atEnd())
        history.step();
    return history.finish();
}

} // namespace fw
