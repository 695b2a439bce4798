#include "views/implementations/loops_drawing.h"

#include "views/common/theme.h"
#include "views/common/tool_tip.h"
#include "views/implementations/schedule_text.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::LoopRow;

namespace {

constexpr int border = 8; // around all
constexpr int inset = 12; // of what lies inside a box
constexpr int gap = 3;    // between boxes

Colour colourOf(const LoopRow& row) {
    if (row.kind == "held")
        return row.how == "memory" ? Colour::NearMiss : Colour::Changed;
    if (row.kind == "computed")
        return Colour::Created;
    return row.how == "parallel" ? Colour::OpenBlas
           : row.how == "vector" ? Colour::OneDnn
           : row.how == "unroll" ? Colour::Generated
                                 : Colour::BoxLine;
}

} // namespace

LoopsDrawing::LoopsDrawing(QWidget* parent) : QAbstractScrollArea(parent) {
    setObjectName(u"loops"_s);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(false);
    setAccessibleName(u"Loops of the implementation"_s);
    connect(&Theme::instance(), &Theme::changed, this, &LoopsDrawing::fitFont);
    fitFont();
}

void LoopsDrawing::fitFont() {
    setFont(Theme::codeFont());
    fitBars();
    viewport()->update();
}

void LoopsDrawing::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitBars();
}

void LoopsDrawing::setSchedule(const Shared<snapshot::ScheduleDocument>& schedule,
                               const QString& why) {
    const bool same = m_schedule && schedule && m_schedule->group == schedule->group &&
                      m_schedule->implementation == schedule->implementation;
    m_schedule = schedule;
    m_why = why;
    m_last.assign(std::size_t(rowCount()), 0);
    for (int at = 0; at < rowCount(); ++at) {
        int last = at;
        while (isBox(at) && last + 1 < rowCount() && row(last + 1).depth > row(at).depth)
            ++last;
        m_last[std::size_t(at)] = last;
    }
    m_current = -1;
    fitBars();
    if (!same) {
        verticalScrollBar()->setValue(0);
        horizontalScrollBar()->setValue(0);
    }
    QStringList lines;
    for (int at = 0; at < rowCount(); ++at)
        lines << QString(2 * row(at).depth, u' ') + rowText(at);
    setAccessibleDescription(lines.join(u'\n'));
    viewport()->update();
}

void LoopsDrawing::setPicked(const snapshot::NodeSet& nodes) {
    if (nodes == m_picked)
        return;
    m_picked = nodes;
    viewport()->update();
}

int LoopsDrawing::rowCount() const {
    return m_schedule ? int(m_schedule->loops.size()) : 0;
}

QString LoopsDrawing::rowText(int at) const {
    return loopText(row(at));
}

int LoopsDrawing::lineHeight() const {
    return fontMetrics().height() + 2 * gap;
}

int LoopsDrawing::left(int at) const {
    return border + row(at).depth * inset;
}

QRect LoopsDrawing::rowRect(int at) const {
    const int x = left(at) - horizontalScrollBar()->value();
    return QRect(x, border + at * lineHeight() - verticalScrollBar()->value(),
                 m_widest - left(at) - row(at).depth * gap - border, lineHeight());
}

QRect LoopsDrawing::boxRect(int at) const {
    QRect out = rowRect(at);
    out.setBottom(rowRect(m_last[std::size_t(at)]).bottom());
    return out.adjusted(0, 1, 0, -1);
}

int LoopsDrawing::rowAt(const QPoint& at) const {
    for (int i = 0; i < rowCount(); ++i)
        if (const QRect rect = rowRect(i); at.y() >= rect.top() && at.y() <= rect.bottom())
            return i;
    return -1;
}

void LoopsDrawing::fitBars() {
    m_widest = viewport()->width();
    for (int at = 0; at < rowCount(); ++at)
        m_widest = std::max(m_widest, left(at) + fontMetrics().horizontalAdvance(rowText(at)) +
                                          4 * border + row(at).depth * gap);
    verticalScrollBar()->setSingleStep(lineHeight());
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setRange(
        0, std::max(0, rowCount() * lineHeight() + 2 * border - viewport()->height()));
    horizontalScrollBar()->setSingleStep(inset);
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setRange(0, std::max(0, m_widest - viewport()->width()));
}

void LoopsDrawing::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    fitBars();
}

void LoopsDrawing::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& theme = Theme::instance();
    painter.fillRect(viewport()->rect(), theme.colour(Colour::Pane));
    painter.setFont(font());
    if (rowCount() == 0) {
        painter.setPen(theme.colour(Colour::Muted));
        painter.drawText(viewport()->rect().adjusted(border, border, -border, -border),
                         Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop, m_why);
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (int at = 0; at < rowCount(); ++at) {
        const LoopRow& shown = row(at);
        const QRect line = rowRect(at), around = isBox(at) ? boxRect(at) : line;
        if (around.bottom() < 0 || around.top() > viewport()->height())
            continue;
        const QColor colour = theme.colour(colourOf(shown));
        if (isBox(at)) {
            painter.setPen(QPen(colour, 1));
            QColor fill = colour;
            fill.setAlpha(18);
            painter.setBrush(fill);
            painter.drawRoundedRect(QRectF(around).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        }
        const bool picked =
            !shown.nodes.empty() &&
            std::any_of(shown.nodes.begin(), shown.nodes.end(),
                        [&](snapshot::NodeId node) { return m_picked.contains(node); });
        if (at == m_current || (picked && !isBox(at))) {
            painter.setPen(at == m_current && hasFocus()
                               ? QPen(theme.colour(Colour::Accent), 1, Qt::DotLine)
                               : Qt::NoPen);
            painter.setBrush(theme.colour(Colour::PaneHighlight));
            painter.drawRect(line.adjusted(2, 2, -3, -3));
        }
        painter.setPen(isBox(at) && shown.how != "for" ? colour : theme.colour(Colour::Text));
        if (!isBox(at)) {
            painter.setBrush(colour);
            painter.setPen(Qt::NoPen);
            const int size = fontMetrics().height() / 2;
            const QRectF mark(line.left() + border / 2.0, line.center().y() - size / 2.0, size,
                              size);
            if (shown.kind == "held")
                painter.drawRect(mark);
            else
                painter.drawEllipse(mark);
            painter.setPen(theme.colour(Colour::Text));
        }
        const int indent = isBox(at) ? border : border + fontMetrics().height() / 2;
        painter.drawText(line.adjusted(indent, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         rowText(at));
    }
}

bool LoopsDrawing::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int at = rowAt(help->pos());
    if (at < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), toolTipOf(loopTip(row(at))), this);
    return true;
}

void LoopsDrawing::mouseReleaseEvent(QMouseEvent* event) {
    QAbstractScrollArea::mouseReleaseEvent(event);
    const int at = event->button() == Qt::LeftButton ? rowAt(event->position().toPoint()) : -1;
    if (at < 0)
        return;
    m_current = at;
    viewport()->update();
    if (!row(at).nodes.empty())
        Q_EMIT nodesPicked(row(at).nodes);
}

void LoopsDrawing::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    if (step != 0 && rowCount() > 0) {
        m_current = std::clamp(m_current + step, 0, rowCount() - 1);
        const QRect line = rowRect(m_current);
        if (line.top() < 0 || line.bottom() > viewport()->height())
            verticalScrollBar()->setValue(verticalScrollBar()->value() + step * lineHeight());
        viewport()->update();
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) &&
               m_current >= 0 && !row(m_current).nodes.empty()) {
        Q_EMIT nodesPicked(row(m_current).nodes);
    } else {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

} // namespace fw::ui
