// A rewriting, application by application: the graph before and behind each, made from the records.
#pragma once

#include "rewrite/driver.h"

namespace fw {

// Work of some operators, free dimensions counted as 1.
struct Work {
    double flops = 0; // transcendental functions are counted as 12
    double bytes = 0; // read and written
};
Work workOf(const Graph& graph, const std::vector<NodePtr>& nodes);

// Begins in front of the first application and goes forward.
class RewriteHistory {
public:
    // `graph`: the one that was rewritten; both stay alive.
    RewriteHistory(const GraphPtr& graph, const std::vector<Application>& applications);

    std::size_t done() const { return m_done; } // applications
    bool atEnd() const { return m_done == m_applications.size(); }
    // The one that comes next, and the graph in which it happens.
    const Application& next() const { return m_instead ? *m_instead : m_applications.at(m_done); }
    const Graph& graph() { return editor().graph(); }
    GraphEditor& editor() { return editorOf(next().body); } // of graph()
    // Another one in place of the next, made by an editor in the same state; the last of the walk.
    void replaceNext(Application application) { m_instead = std::move(application); }
    void step(); // the reference of graph() holds, and shows what is behind the application
    // The whole graph behind the applications done so far; ends the walk.
    Result<GraphPtr> finish();

private:
    GraphEditor& editorOf(const GraphPtr& body); // empty: the graph itself
    Result<GraphPtr> finished(const GraphPtr& graph);

    GraphPtr m_graph;
    const std::vector<Application>& m_applications;
    std::size_t m_done = 0;
    std::optional<Application> m_instead;
    std::map<const Graph*, std::unique_ptr<GraphEditor>> m_editors; // of what has been begun
    std::map<const Graph*, GraphPtr> m_finished;
};

// The graph behind the first `count` applications; takes the time of the graph and of these.
Result<GraphPtr> graphBehind(const GraphPtr& graph, const std::vector<Application>& applications,
                             std::size_t count);

} // namespace fw
