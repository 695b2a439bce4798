// Everything that the books declare, shipped ones too, in the order in which the engine asks, phase
// by phase: what each did, how long that took, and what is never asked.
#pragma once

#include "snapshot/book_records.h"

#include <QAbstractItemModel>

#include <memory>
#include <vector>

namespace fw::ui {

class OrderModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Name, Count, Time, Book, ColumnCount };
    enum Role {
        FileRole = Qt::UserRole + 1, // a path, or the name of a shipped book
        LineRole,                    // int from 1
    };

    using QAbstractItemModel::QAbstractItemModel;

    void setOrder(std::shared_ptr<const snapshot::OrderDocument> order);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Phase {
        QString title, tip;
        std::size_t first = 0, count = 0; // of the entries
    };
    // Null of a phase.
    const snapshot::OrderRecord* entryAt(const QModelIndex& index) const;

    std::shared_ptr<const snapshot::OrderDocument> m_order;
    std::vector<Phase> m_phases;
};

} // namespace fw::ui
