// What changed when the plan was made again: a table, and a line that says between what.
#pragma once

#include "views/compare/changes_model.h"

#include <QWidget>

class QLabel;
class QTreeView;

namespace fw::ui {

class StateOverlay;

class ChangesView : public QWidget {
    Q_OBJECT

public:
    explicit ChangesView(QWidget* parent = nullptr);

    void setChanges(std::shared_ptr<const snapshot::DiffDocument> changes); // null: none yet
    const ChangesModel& model() const { return m_model; }
    QTreeView* table() const { return m_table; }
    StateOverlay* overlay() const { return m_overlay; }
    QString footerText() const;
    // Selects the next or the previous row, as a click does.
    void step(int by);

Q_SIGNALS:
    // Of the plan now; of groups that are gone there is nothing to show.
    void activated(const std::vector<std::int64_t>& fusedNodes);

private:
    ChangesModel m_model;
    QTreeView* m_table;
    StateOverlay* m_overlay;
    QLabel* m_footer;
};

} // namespace fw::ui
