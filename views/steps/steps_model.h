// The rows of the stepper: the applications of rules in their order, and behind them those that the
// user left out. The check box of a row says whether it is wanted.
#pragma once

#include "snapshot/rewrite_records.h"

#include <QAbstractTableModel>

#include <memory>

namespace fw::ui {

class StepsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Number, Rule, At, Made, ColumnCount };

    explicit StepsModel(QObject* parent = nullptr);

    void setContent(std::shared_ptr<const snapshot::RewriteDocument> rewrite,
                    std::vector<std::string> leftOut);
    int applications() const; // in rows of their own, before those left out
    // What --leave-out calls it: "fold_bn at Conv_3"; empty: there is no such row.
    QString nameOf(int row) const;
    bool isApplied(int row) const { return row >= 0 && row < applications(); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    void wantedChanged(const QString& application, bool applied); // by people

private:
    std::shared_ptr<const snapshot::RewriteDocument> m_rewrite;
    std::vector<std::string> m_leftOut;
};

} // namespace fw::ui
