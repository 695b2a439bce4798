// A place for every application of a rule: a tick each, a longer one where another rule begins.
#pragma once

#include "snapshot/step_records.h"

#include <QSlider>

namespace fw::ui {

class StepSlider : public QSlider {
    Q_OBJECT

public:
    explicit StepSlider(QWidget* parent = nullptr);

    void setRuns(std::vector<snapshot::ApplicationRun> runs);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    double placeOf(std::int64_t number) const; // its x
    const snapshot::ApplicationRun* runAt(double x) const;

    std::vector<snapshot::ApplicationRun> m_runs;
};

} // namespace fw::ui
