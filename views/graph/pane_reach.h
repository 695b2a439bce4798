// What is connected with the selection: lit while the rest is dimmed.
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
    bool end();  // of what is lit; false: nothing was

private:
    GraphPanes& m_panes;
    snapshot::NodeSet m_tracedFrom;
};

} // namespace fw::ui
