// Who computes each group, who else could have, and why not: a tree of groups and candidates, and
// below it everything that is known of the current row in full sentences, with the schedule.
#pragma once

#include "views/common/view.h"
#include "views/implementations/implementations_model.h"

class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTreeView;

namespace fw::ui {

class FittedColumns;
class LoopsDrawing;

class ImplementationsView : public View {
    Q_OBJECT

public:
    explicit ImplementationsView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    // Opens the group's candidates and closes those that were opened the same way.
    void selectionChanged(const QObject* origin) override;
    // Asks for the schedule of the current row, but not while it is hidden.
    void selectionSettled() override;

    ImplementationsModel& model() { return m_model; }
    QTreeView* table() const { return m_table; }
    QString detailText() const;
    // As the buttons and the menu do it.
    void pinCurrent();
    void avoidCurrent();
    void unpinCurrent();
    // Begins a schedule of a book from the one that is shown, or goes to the book that has it.
    void editCurrent();
    // The loops in place of the details.
    void showLoops(bool loops);
    LoopsDrawing* loops() const { return m_loops; }

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void showPlan();
    void showDetail();
    void setPlan(const Shared<snapshot::FuseDocument>& plan);
    void pin(snapshot::PinKind kind);
    void showCurrent();
    // Of the current row; null: it was not asked for yet, or is of an earlier plan.
    Shared<snapshot::ScheduleDocument> currentSchedule() const;
    QString scheduleState() const; // why there is none
    QString pinsNotFollowed() const;
    void hideColumns();
    void fitColumns();
    void fitNames();

    ImplementationsModel m_model;
    QTreeView* m_table;
    QPlainTextEdit* m_detail;
    QPushButton* m_pin;
    QPushButton* m_avoid;
    QPushButton* m_unpin;
    QPushButton* m_edit;
    QPushButton* m_showLoops;
    QStackedWidget* m_below;
    LoopsDrawing* m_loops;
    QSplitter* m_splitter;
    QPersistentModelIndex m_opened;
    bool m_selecting = false;
    std::pair<int, std::string> m_asked; // whose schedule: the group, and the candidate or nothing
    FittedColumns* m_columns;
};

} // namespace fw::ui
