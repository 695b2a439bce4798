// Times per group, and the nodes' shares inside each group, as a tree of two levels. A share that
// was divided by estimate and not measured is marked with "≈".
#pragma once

#include "snapshot/records.h"

#include <QAbstractItemModel>

#include <memory>

namespace fw::ui {

class ProfileModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column {
        Name,
        Implementation,
        Median,
        Estimate,
        Bar,
        Share,
        Gflops,
        Gbps,
        Calls,
        ColumnCount
    };
    enum Role {
        SortRole = Qt::UserRole, // number or text of the cell
        GroupRole,               // int
        NodeRole,                // qlonglong, -1 for a group
        EstimatedRole            // bool
    };

    explicit ProfileModel(QObject* parent = nullptr);
    void setProfile(std::shared_ptr<const snapshot::ProfileDocument> profile);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    QModelIndex indexOfGroup(int group) const;

private:
    QVariant cell(const QModelIndex& index, bool forSorting) const;

    std::shared_ptr<const snapshot::ProfileDocument> m_profile;
};

} // namespace fw::ui
