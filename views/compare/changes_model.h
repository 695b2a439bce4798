// The rows of the change list: one per change from the plan before to this one.
#pragma once

#include "snapshot/records.h"

#include <QAbstractTableModel>

#include <memory>

namespace fw::ui {

class ChangesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Kind, What, Before, After, TimeBefore, TimeAfter, ColumnCount };

    explicit ChangesModel(QObject* parent = nullptr);

    void setChanges(std::shared_ptr<const snapshot::DiffDocument> changes);
    const snapshot::ChangeRecord* change(int row) const; // null: there is no such row
    // "2 split, 1 merged, 3 other implementations"; empty without changes.
    QString summary() const;
    QString total() const; // "all groups ≈ 97.8 µs → 39.3 µs"; empty without estimates
    // The same of what has one of these groups, with how many there are; empty: none has.
    QString totalOf(const std::vector<int>& groups) const;
    bool isMeasured() const { return m_changes && m_changes->measured; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const snapshot::DiffDocument> m_changes;
    std::vector<const snapshot::ChangeRecord*> m_rows; // in *m_changes
};

} // namespace fw::ui
