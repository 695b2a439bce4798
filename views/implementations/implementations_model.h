// Groups, and below each the implementations that were considered for it, in the order in which
// they were asked. The group's own row says what was chosen, and why.
#pragma once

#include "snapshot/records.h"

#include <QAbstractItemModel>

#include <map>
#include <memory>

namespace fw::ui {

class ImplementationsModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Name, Verdict, Estimate, Measured, Difference, Verified, Priority, ColumnCount };
    enum Role {
        GroupRole = Qt::UserRole + 1, // id of the group, of candidates too
        NameRole,                     // of the implementation, in every column
    };

    explicit ImplementationsModel(QObject* parent = nullptr);

    void setPlan(std::shared_ptr<const snapshot::FuseDocument> plan);
    // Median times by group id; candidates that were not run have none.
    void setTimes(std::map<int, double> medianUs);
    // Of the groups as they were measured, to the baseline; none: it is not compared.
    using Differences = std::map<int, snapshot::GroupDifference>; // by group
    void setDifferences(Differences differences);
    bool isCompared() const { return !m_differences.empty(); }
    // What each candidate computes beside the reference; null: not asked yet.
    void setVerified(std::shared_ptr<const snapshot::VerifyDocument> verified);
    bool isVerified() const { return m_verified != nullptr; }
    const snapshot::VerifyRow* verified(int group, const std::string& implementation) const;
    const snapshot::GroupRecord* group(const QModelIndex& index) const;
    const snapshot::CandidateRecord* candidate(const QModelIndex& index) const; // null: a group
    QModelIndex indexOfGroup(int id) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void changed(Column column);
    const snapshot::GroupDifference* differenceAt(int group) const;
    const snapshot::VerifyRow* worstOf(const snapshot::GroupRecord& group) const;
    QVariant groupCell(const snapshot::GroupRecord& group, Column column) const;
    QVariant candidateCell(const snapshot::GroupRecord& group,
                           const snapshot::CandidateRecord& candidate, Column column) const;

    std::shared_ptr<const snapshot::FuseDocument> m_plan;
    std::map<int, double> m_times;
    Differences m_differences;
    std::shared_ptr<const snapshot::VerifyDocument> m_verified;
};

} // namespace fw::ui
