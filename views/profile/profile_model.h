// Times per group, and the nodes' shares inside each group, as a tree of two levels. A share that
// was divided by estimate and not measured is marked with "≈".
#pragma once

#include "snapshot/records.h"

#include <QAbstractItemModel>

#include <map>
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
        Difference, // to the baseline
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
    // Null: there is no baseline, or it does not compare.
    void setAgainst(std::shared_ptr<const snapshot::TimesComparison> against);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    QModelIndex indexOfGroup(int group) const;

private:
    QVariant cell(const QModelIndex& index, bool forSorting) const;
    QVariant groupCell(const snapshot::ProfileRow& row, Column column, bool forSorting) const;
    QVariant tipOf(const QModelIndex& index) const;
    // Of a row that computes something of its group; null: there is none.
    const snapshot::GroupDifference* differenceAt(const snapshot::ProfileRow& row) const;

    std::shared_ptr<const snapshot::ProfileDocument> m_profile;
    std::shared_ptr<const snapshot::TimesComparison> m_against;
    std::map<int, const snapshot::GroupDifference*> m_differences; // in it, by group
};

} // namespace fw::ui
