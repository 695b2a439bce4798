// Who computes each group, who else could have, and why not: a tree of groups and candidates, and
// below it everything that is known of the current row in full sentences, with the schedule.
#pragma once

#include "views/common/view.h"
#include "views/implementations/implementations_model.h"

class QPlainTextEdit;
class QPushButton;
class QTreeView;

namespace fw::ui {

class FittedColumns;

class ImplementationsView : public View {
    Q_OBJECT

public:
    explicit ImplementationsView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    // Opens the group's candidates and closes those that were opened the same way.
    void selectionChanged(const QObject* origin) override;

    ImplementationsModel& model() { return m_model; }
    QTreeView* table() const { return m_table; }
    QString detailText() const;
    // As the buttons and the menu do it.
    void pinCurrent();
    void avoidCurrent();
    void unpinCurrent();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showPlan();
    void showDetail();
    void setPlan(const Shared<snapshot::FuseDocument>& plan);
    void pin(snapshot::PinKind kind);
    void showCurrent();
    void hideColumns();
    void fitColumns();
    void fitNames();

    ImplementationsModel m_model;
    QTreeView* m_table;
    QPlainTextEdit* m_detail;
    QPushButton* m_pin;
    QPushButton* m_avoid;
    QPushButton* m_unpin;
    QPersistentModelIndex m_opened;
    bool m_selecting = false;
    FittedColumns* m_columns;
};

} // namespace fw::ui
