// Who computes each group, who else could have, and why not: a tree of groups and candidates, and
// below it everything that is known of the current row in full sentences, with the schedule.
#pragma once

#include "views/implementations/implementations_model.h"

#include <QWidget>

class QPlainTextEdit;
class QPushButton;
class QTreeView;

namespace fw::ui {

class StateOverlay;

class ImplementationsView : public QWidget {
    Q_OBJECT

public:
    explicit ImplementationsView(QWidget* parent = nullptr);

    void setPlan(std::shared_ptr<const snapshot::FuseDocument> plan);
    void setTimes(std::map<int, double> medianUs) { m_model.setTimes(std::move(medianUs)); }
    // The column is there as soon as something was verified.
    void setVerified(std::shared_ptr<const snapshot::VerifyDocument> verified);
    // Opens this group's candidates and closes those that were opened the same way; -1: none.
    void selectGroup(int id);

    ImplementationsModel& model() { return m_model; }
    QTreeView* table() const { return m_table; }
    StateOverlay* overlay() const { return m_overlay; }
    QString detailText() const;
    // As the buttons and the menu do it.
    void pinCurrent();
    void avoidCurrent();
    void unpinCurrent();

Q_SIGNALS:
    void activated(int group);
    void pinRequested(int group, const QString& implementation);
    void avoidRequested(int group, const QString& implementation);
    void unpinRequested(int group);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showCurrent();
    void hideColumns();

    ImplementationsModel m_model;
    QTreeView* m_table;
    StateOverlay* m_overlay;
    QPlainTextEdit* m_detail;
    QPushButton* m_pin;
    QPushButton* m_avoid;
    QPushButton* m_unpin;
    QPersistentModelIndex m_opened;
    bool m_selecting = false;
};

} // namespace fw::ui
