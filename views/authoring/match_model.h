// What one declaration of a book finds in a model, as rows: how the selected operator fits it,
// clause by clause, if one is selected; its steps with how many nodes get so far; what came of it,
// place by place; its near misses, the nearest first.
#pragma once

#include "snapshot/authoring_records.h"
#include "views/common/pane.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>

namespace fw::ui {

class MatchModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { What, Count, Share, Detail, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setRule(std::optional<snapshot::RuleMatches> rule);
    const std::optional<snapshot::RuleMatches>& rule() const { return m_rule; }
    void
    setProbe(std::shared_ptr<const snapshot::ProbeDocument> probe); // null: nothing is selected
    const snapshot::ProbeDocument* probe() const { return m_probe.get(); }
    void setCame(std::shared_ptr<const snapshot::UsesDocument> came); // null: nothing is known
    const snapshot::UsesDocument* came() const { return m_came.get(); }

    // Null where the row is something else. The first row of a probe names the operator.
    const snapshot::ProbeRow* probedAt(int row) const;
    const snapshot::FunnelStep* stepAt(int row) const;
    const snapshot::CameRecord* cameAt(int row) const;
    const snapshot::NearMissRecord* missAt(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString textOf(const snapshot::FunnelStep& step, int row, int column) const;
    int probed() const; // rows of the probe
    int steps() const;
    int places() const; // rows of what came of it
    QVariant dataOf(const snapshot::ProbeRow* row, int column, int role) const;
    std::optional<snapshot::RuleMatches> m_rule;
    std::shared_ptr<const snapshot::ProbeDocument> m_probe;
    std::shared_ptr<const snapshot::UsesDocument> m_came;
};

// "17 matches, 3.1 ms", "no match, 12 near misses"
// `Always` tells of near misses even where something matches.
enum class NearMisses : std::uint8_t { WithoutMatches, Always };
QString matchesText(const snapshot::RuleMatches& rule,
                    NearMisses told = NearMisses::WithoutMatches);

} // namespace fw::ui
