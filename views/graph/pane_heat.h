// How the boxes of the panes are coloured once there is a profile.
#pragma once

#include "views/graph/graph_panes.h"

namespace fw::ui {

// Difference: to the baseline.
enum class Heat : std::uint8_t { None, Time, Slowness, Difference };

class PaneHeat {
public:
    explicit PaneHeat(GraphPanes& panes) : m_panes(panes) {} // live longer

    void set(Heat heat);
    Heat heat() const { return m_heat; }
    void show() const; // in every pane

private:
    GraphCanvas::HeatOf valuesOfNodes() const; // microseconds, or less per operation

    GraphPanes& m_panes;
    Heat m_heat = Heat::None;
};

} // namespace fw::ui
