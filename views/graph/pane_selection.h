// What is picked, from pane to pane: shown in all of them, set by any of them, and brought into
// view, at once or with the picture that is being made.
//
// Owns what still waits for its picture.
#pragma once

#include "views/graph/graph_panes.h"

#include <map>

namespace fw::ui {

class PaneSelection {
public:
    explicit PaneSelection(GraphPanes& panes) : m_panes(panes) {} // live longer

    // People picked these boxes; the nodes that they stand for.
    snapshot::NodeSet pick(std::size_t pane, const std::vector<std::int64_t>& boxes);
    void show(const QObject* origin) const; // who set it
    // It comes into view; what is hidden in a closed block is opened if it is little.
    void follow(const QObject* origin);
    void comeIntoView(std::size_t pane, snapshot::NodeId node,
                      Selection::Reveal how = Selection::Reveal::IntoView);
    void arrived(const GraphPane* pane); // its picture
    void forget(const GraphPane* pane) { m_awaited.erase(pane); }
    void walk(GraphSide side, int step) const; // in the graph's own order
    void walkCopies(std::size_t pane, int step);

private:
    bool hasBox(std::size_t pane, snapshot::NodeId reorder) const;
    struct Awaited {
        snapshot::NodeId node;
        Selection::Reveal how;
        bool opens; // what hides it
    };
    void await(std::size_t pane, const Awaited& what);

    GraphPanes& m_panes;
    std::map<const GraphPane*, Awaited> m_awaited; // comes into view with the next picture
    std::optional<std::size_t> m_pointed;          // pane of the last click
};

} // namespace fw::ui
