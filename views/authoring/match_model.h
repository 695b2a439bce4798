// What one declaration of a book finds in a model, as rows: first its steps with how many nodes
// get so far, then its near misses, the nearest first.
#pragma once

#include "snapshot/book_records.h"
#include "views/common/pane.h"

#include <QAbstractTableModel>

#include <optional>

namespace fw::ui {

class MatchModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { What, Count, Share, Detail, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setRule(std::optional<snapshot::RuleMatches> rule);
    const std::optional<snapshot::RuleMatches>& rule() const { return m_rule; }

    // Null where the row is something else.
    const snapshot::FunnelStep* stepAt(int row) const;
    const snapshot::NearMissRecord* missAt(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString textOf(const snapshot::FunnelStep& step, int row, int column) const;
    std::optional<snapshot::RuleMatches> m_rule;
};

// "17 matches, 3.1 ms", "no match, 12 near misses"
// `Always` tells of near misses even where something matches.
enum class NearMisses : std::uint8_t { WithoutMatches, Always };
QString matchesText(const snapshot::RuleMatches& rule,
                    NearMisses told = NearMisses::WithoutMatches);

} // namespace fw::ui
