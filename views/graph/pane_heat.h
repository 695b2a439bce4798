// How the boxes of the panes are coloured: by a number of their groups
// (snapshot/group_numbers.h), or by the difference of their times to the baseline.
#pragma once

#include "snapshot/group_numbers.h"
#include "views/graph/graph_panes.h"

namespace fw::ui {

inline constexpr std::string_view noHeat = "";
inline constexpr std::string_view heatByDifference = "difference";

class PaneHeat {
public:
    explicit PaneHeat(GraphPanes& panes) : m_panes(panes) {} // live longer

    // The key of a number, or one of the two above. Says why there is nothing to see.
    void set(std::string_view by);
    const std::string& by() const { return m_by; }
    void show() const; // in every pane
    // All there is, and what it says now, for people to choose from.
    std::vector<Choice> choices(const std::function<void(std::string_view)>& choose) const;

private:
    using HeatOf = GraphCanvas::HeatOf;

    snapshot::GroupNumbers numbers() const; // of the plan that is there
    std::optional<Diag> missing(std::string_view by) const;
    HeatOf differences() const;
    HeatOf valuesOfNodes() const;
    void show(std::size_t pane, const HeatOf& nodes) const;

    GraphPanes& m_panes;
    std::string m_by;
};

} // namespace fw::ui
