// One pane of the centre: a title line above a canvas, its layout thread and its state.
#pragma once

#include "views/graph/canvas.h"
#include "views/graph/picture_job.h"

#include <QWidget>

namespace fw::ui {

class PaneHeader;
class StateOverlay;
class Trail;

class GraphPane : public QWidget {
    Q_OBJECT

public:
    explicit GraphPane(const QString& title, QWidget* parent = nullptr);

    // Made and laid out in the background, the latest wins.
    void setDiagram(PictureJob::Maker diagram);
    void stop(); // the layout at work; the picture before it stays
    void clear();
    void setTitle(const QString& title);
    void setDetail(const QString& text); // right of the title
    Trail* trail() const { return m_trail; }
    PaneHeader* header() const { return m_header; }
    GraphCanvas* canvas() const { return m_canvas; }
    StateOverlay* overlay() const { return m_overlay; }
    bool busy() const { return m_job.running(); }
    bool stopped() const { return m_stopped; } // the last layout was

Q_SIGNALS:
    void busyChanged();
    void noted(const QString& text); // what the layout engine has to say

private:
    PaneHeader* m_header;
    Trail* m_trail;
    GraphCanvas* m_canvas;
    StateOverlay* m_overlay;
    PictureJob m_job;
    bool m_stopped = false;
    std::shared_ptr<picture::LayoutMemo> m_memo; // of its pictures
};

} // namespace fw::ui
