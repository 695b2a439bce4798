// What changed when the plan was made again: a table, and a line that says between what.
#pragma once

#include "views/common/view.h"
#include "views/compare/changes_model.h"

class QLabel;
class QTreeView;

namespace fw::ui {

class ChangesView : public View {
    Q_OBJECT

public:
    explicit ChangesView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void selectionChanged(const QObject* origin) override;
    bool serve(Request request) override;

    const ChangesModel& model() const { return m_model; }
    QTreeView* table() const { return m_table; }
    QString footerText() const; // of the plan, then of what is selected
    // Selects the next or the previous row, as a click does.
    void step(int by);

private:
    void setChanges(const Shared<snapshot::DiffDocument>& changes); // null: none yet
    void announce();
    void fitColumns();

    ChangesModel m_model;
    QTreeView* m_table;
    QLabel* m_footer;
    QLabel* m_selected;
    Shared<snapshot::FuseDocument> m_announced; // of which plan it was said what changed
};

} // namespace fw::ui
