// What differs between panes in one layout: walking from change to change, and why a node of one
// pane has no counterpart in another.
#pragma once

#include "views/graph/pane_selection.h"

namespace fw::ui {

class PaneChanges {
public:
    // Both live longer.
    PaneChanges(GraphPanes& panes, PaneSelection& selection)
        : m_panes(panes), m_selection(selection) {}

    bool walk(int step); // false: they are shown apart
    void sayCounterpart(std::size_t pane, snapshot::NodeId node) const;

private:
    struct History {
        const snapshot::RewriteDocument* document = nullptr;
        std::int64_t upTo = 0; // applications
    };
    History historyOf(std::size_t pane) const;
    QString whyMissing(const snapshot::NodeRecord& node, std::size_t from, std::size_t in) const;
    std::optional<std::size_t> placeNow(const std::vector<std::size_t>& changes) const;
    void goTo(std::size_t place);

    GraphPanes& m_panes;
    PaneSelection& m_selection;
    std::optional<std::size_t> m_at; // place that was walked to
    Picked m_atPicked;               // what was picked then
};

} // namespace fw::ui
