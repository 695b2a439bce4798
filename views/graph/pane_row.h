// The panes side by side. While an application of a rule is looked at, its pane takes the room of
// all but the first.
//
// Owns how wide they were before.
#pragma once

#include "views/graph/step_pane.h"

#include <QSplitter>

namespace fw::ui {

class PaneRow : public QSplitter {
    Q_OBJECT

public:
    explicit PaneRow(QWidget* parent = nullptr);

    void add(GraphPane* pane);
    void layOut(); // all equally wide
    StepPane* stepPane() const { return m_step; }
    bool showsStep() const { return m_step->isVisible(); }
    void setStepShown(bool shown);

private:
    bool hasKeys(int at) const;

    StepPane* m_step; // the last
    QList<int> m_sizesApart;
};

} // namespace fw::ui
