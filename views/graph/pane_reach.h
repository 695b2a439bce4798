// What is connected with the selection: lit while the rest is dimmed, or shown alone.
#pragma once

#include "views/graph/graph_panes.h"

namespace fw::ui {

class PaneReach {
public:
    explicit PaneReach(GraphPanes& panes) : m_panes(panes) {} // live longer

    // Of the selection, in the graph that has the keys; the other ones show the same nodes. Of two
    // nodes the ways between them, if there is one. Without a selection, or when it is traced
    // already, everything is shown as before.
    void trace();
    void show(); // in every pane what is lit
    // Steps more or less around what was selected. As of end: the pane that is to be drawn anew.
    std::optional<std::size_t> around(int by);
    std::optional<std::size_t> end(); // of what is lit, or else of what is alone
    void endAround() { m_around.reset(); }
    const GraphPane* alone() const { return m_around ? m_around->pane : nullptr; }
    // What is shown alone; null: all of the graph is.
    Shared<snapshot::GraphDocument> partOf(std::size_t pane);

private:
    struct Around {
        Shared<snapshot::GraphDocument> graph;
        const GraphPane* pane;
        snapshot::NodeSet nodes;
        int steps;
    };

    GraphPanes& m_panes;
    snapshot::NodeSet m_tracedFrom;
    std::optional<Around> m_around; // all that is shown of that graph
};

} // namespace fw::ui
