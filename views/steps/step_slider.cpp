#include "views/steps/step_slider.h"

#include "views/common/numbers.h"
#include "views/common/theme.h"
#include "views/common/tool_tip.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int edge = 12;      // half of the handle, and the margin beside the groove
constexpr double closest = 3; // pixels between ticks that can be told apart

} // namespace

StepSlider::StepSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
    setPageStep(10);
    setMinimumWidth(80);
}

void StepSlider::setRuns(std::vector<snapshot::ApplicationRun> runs) {
    m_runs = std::move(runs);
    update();
}

QSize StepSlider::sizeHint() const {
    return {200, 28};
}

double StepSlider::placeOf(std::int64_t number) const {
    const double room = std::max(width() - 2 * edge, 1);
    const int steps = std::max(maximum() - minimum(), 1);
    return edge + room * double(number - minimum()) / steps;
}

void StepSlider::paintEvent(QPaintEvent* event) {
    QSlider::paintEvent(event);
    QPainter painter(this);
    const double bottom = height() - 1;
    const auto tick = [&](std::int64_t number, double length) {
        const double x = placeOf(number);
        painter.drawLine(QPointF(x, bottom - length), QPointF(x, bottom));
    };
    const bool each = placeOf(minimum() + 1) - placeOf(minimum()) >= closest;
    painter.setPen(Theme::instance().colour(Colour::Muted));
    for (std::int64_t number = minimum(); each && number <= maximum() && number > 0; ++number)
        tick(number, 3);
    double last = -closest;
    for (const snapshot::ApplicationRun& run : m_runs)
        if (const double x = placeOf(run.first); x - last >= closest) {
            tick(run.first, 7);
            last = x;
        }
}

const snapshot::ApplicationRun* StepSlider::runAt(double x) const {
    const snapshot::ApplicationRun* out = nullptr;
    for (const snapshot::ApplicationRun& run : m_runs)
        if (!out || placeOf(run.first) <= x + closest)
            out = &run;
    return out;
}

bool StepSlider::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QSlider::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const snapshot::ApplicationRun* run = runAt(help->pos().x()))
        QToolTip::showText(help->globalPos(),
                           toolTipOf(u"%1, from %2: %3"_s.arg(QString::fromStdString(run->rule))
                                         .arg(run->first)
                                         .arg(countOf(run->count, u"application"_s))),
                           this);
    return true;
}

} // namespace fw::ui
