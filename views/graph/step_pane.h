// An application of a rule with what lies around it: what was there and what stands there now in
// one picture, of which a phase shows its part, so that everything keeps its place.
#pragma once

#include "snapshot/step_records.h"
#include "views/common/document_parts.h"
#include "views/common/selection.h"
#include "views/graph/graph_pane.h"

namespace fw::ui {

class StepPane : public GraphPane {
    Q_OBJECT

public:
    explicit StepPane(QWidget* parent = nullptr);

    using GraphPane::show;
    void show(const Shared<snapshot::StepDocument>& step, StepPhase phase); // null: none yet

private:
    void showPhase(StepPhase phase);
    void showMatch();

    double m_scaleBefore = 0; // of the application before; 0: there was none
    Shared<snapshot::StepDocument> m_step;
};

} // namespace fw::ui
