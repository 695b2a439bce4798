// One pane of the centre: a title line, a state strip and the canvas. Lays out its graph in the
// background; the latest graph wins, an earlier layout is cancelled.
#pragma once

#include "base/cancel.h"
#include "picture/diagram.h"
#include "views/graph/canvas.h"

#include <QWidget>

#include <memory>

namespace fw::ui {

class PaneHeader;
class StateStrip;

class GraphPane : public QWidget {
    Q_OBJECT

public:
    explicit GraphPane(const QString& title, QWidget* parent = nullptr);
    ~GraphPane() override;

    void setDiagram(std::shared_ptr<const picture::Diagram> diagram); // null: empty
    void setDetail(const QString& text);                              // right of the title
    GraphCanvas* canvas() const { return m_canvas; }
    StateStrip* strip() const { return m_strip; }
    bool busy() const { return m_busy; }

Q_SIGNALS:
    void busyChanged();
    void noted(const QString& text); // what the layout engine has to say

private:
    PaneHeader* m_header;
    StateStrip* m_strip;
    GraphCanvas* m_canvas;
    CancelToken m_cancel;
    std::uint64_t m_generation = 0;
    bool m_busy = false;
};

} // namespace fw::ui
