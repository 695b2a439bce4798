// How the boxes of the panes are coloured once there is a profile.
#pragma once

#include "views/graph/graph_panes.h"

namespace fw::ui {

enum class Heat : std::uint8_t { None, Time, Slowness };

class PaneHeat {
public:
    explicit PaneHeat(GraphPanes& panes) : m_panes(panes) {} // live longer

    void set(Heat heat);
    Heat heat() const { return m_heat; }
    void show() const; // in every pane

private:
    bool isMeasured() const;
    GraphCanvas::HeatOf ofNodes() const;
    void showIn(std::size_t pane, const GraphCanvas::HeatOf& nodes) const;

    GraphPanes& m_panes;
    Heat m_heat = Heat::None;
};

} // namespace fw::ui
