// The pictures of the panes: made when a pane has another graph, all of them in one layout or each
// apart, whole or what PaneFilters leave of them.
#pragma once

#include "picture/graph_diagram.h"
#include "views/graph/pane_filters.h"

namespace fw::ui {

class PanePictures {
public:
    // Both live longer.
    PanePictures(GraphPanes& panes, PaneFilters& filters) : m_panes(panes), m_filters(filters) {}

    void show(std::size_t pane); // with its state; no new picture of what is there already
    void showAnew(std::size_t pane);
    void showAllAnew();
    void redraw(); // other blocks are open
    void setJoint(bool joint) { m_joint = joint; }
    bool isJoint() const { return m_joint; }
    const picture::BoxFacts& facts() const { return m_facts; }
    void setFacts(const picture::BoxFacts& facts); // what boxes and edges say

private:
    Shared<snapshot::FuseDocument> planWithReorders() const;
    Collapse::Graph withReorders(const Collapse::Graph& graph, const ShownPane& shown) const;
    bool showJoint(); // false: they are shown apart
    void showApart(std::size_t pane, const picture::DiagramOptions& options);

    GraphPanes& m_panes;
    PaneFilters& m_filters;
    picture::BoxFacts m_facts;
    bool m_joint = false; // if two panes have graphs
};

// What is framed in each pane: marks of the joint layout, the place that was pointed at, and the
// way on which what is explained gets out of a group.
void showHalos(const GraphPanes& panes);

} // namespace fw::ui
