// Widths of columns that follow the width of their view, but for those that people set by hand.
#pragma once

#include <QMap>
#include <QObject>

class QHeaderView;

namespace fw::ui {

class FittedColumns : public QObject {
    Q_OBJECT

public:
    explicit FittedColumns(QHeaderView* header); // its parent

    // Pixels; nothing happens to a column that was set by hand.
    void fit(int column, int width);
    void setHidden(int column, bool hidden);
    bool isSet(int column) const { return m_set.contains(column); }

    // Those set by hand, as it is remembered.
    QByteArray saveState() const;
    bool restoreState(const QByteArray& state);

private:
    QHeaderView* m_header;
    QMap<int, int> m_set; // column -> width
    bool m_fitting = false;
};

} // namespace fw::ui
