// The loops of a group as boxes inside each other: a loop is a box around what it repeats, with
// what is held there and what is computed there as lines of it. A click picks the nodes that a line
// comes from.
#pragma once

#include "snapshot/provenance.h"
#include "snapshot/schedule_records.h"
#include "views/common/document_parts.h"

#include <QAbstractScrollArea>

namespace fw::ui {

class LoopsDrawing : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit LoopsDrawing(QWidget* parent = nullptr);

    // Null: nothing; `why` stands in its place.
    void setSchedule(const Shared<snapshot::ScheduleDocument>& schedule, const QString& why);
    // Of these nodes (fused) lines are tinted.
    void setPicked(const snapshot::NodeSet& nodes);

    int rowCount() const;
    QString rowText(int row) const;
    QRect rowRect(int row) const;      // of its line, in the viewport
    QRect boxRect(int row) const;      // of a loop or part: around all that lies inside
    int rowAt(const QPoint& at) const; // -1: none

Q_SIGNALS:
    void nodesPicked(const std::vector<fw::snapshot::NodeId>& nodes);

protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    const snapshot::LoopRow& row(int row) const { return m_schedule->loops[std::size_t(row)]; }
    bool isBox(int at) const { return row(at).kind == "loop" || row(at).kind == "part"; }
    int lineHeight() const;
    int left(int row) const; // of its line
    void fitBars();
    void fitFont();

    Shared<snapshot::ScheduleDocument> m_schedule;
    std::vector<int> m_last; // of each row: the last one that lies inside it, or itself
    QString m_why;
    snapshot::NodeSet m_picked;
    int m_current = -1;
    int m_widest = 0; // of all lines, at least the viewport
};

} // namespace fw::ui
