// Below the text of a book: what the declaration at the caret finds in the model. A row shows its
// place in the text, or the node that nearly matched; the clause in its way can be relaxed.
#pragma once

#include "views/authoring/match_model.h"

#include <QWidget>

class QFrame;
class QPushButton;
class QTreeView;

namespace fw::ui {

class ElidedLabel;
class StateOverlay;

class MatchPanel : public QWidget {
    Q_OBJECT

public:
    explicit MatchPanel(QWidget* parent = nullptr);

    // `current` of all matches, from 0; -1: none. `without` is said where there is no rule.
    void setRule(std::optional<snapshot::RuleMatches> rule, int current,
                 const QString& without = {});
    // How the selected operator fits it; null: none is selected.
    void setProbe(std::shared_ptr<const snapshot::ProbeDocument> probe);
    // What came of it, or of a declaration that finds nothing by itself; null: nothing is known.
    void setCame(std::shared_ptr<const snapshot::UsesDocument> came);
    // Greyed, because the text has moved on; empty: up to date.
    void setStale(const QString& why);
    // Instead of what is found: there is no declaration, or nothing was found yet.
    void setNothing(const QString& why);
    // What is read only is not relaxed.
    void setReadOnly(bool readOnly);
    MatchModel& model() { return m_model; }
    QTreeView* table() const { return m_table; }
    QPushButton* relaxButton() const { return m_relax; }
    QString title() const;
    void relaxCurrent();
    void showCurrent();

Q_SIGNALS:
    void stepRequested(int step); // to the next match or the one before
    void placeRequested(const fw::snapshot::TextRange& range);
    void missRequested(const fw::snapshot::NearMissRecord& miss);
    void cameRequested(const fw::snapshot::CameRecord& came);
    void relaxRequested(const fw::snapshot::Fix& fix);

private:
    void showTitle();
    void showButtons();
    // Of the current row, or else the nearest that can be relaxed.
    const snapshot::NearMissRecord* relaxable() const;

    MatchModel m_model;
    bool m_readOnly = false;
    QString m_found; // the title without what came of it
    ElidedLabel* m_title;
    QPushButton* m_previous;
    QPushButton* m_next;
    QWidget* m_body;
    QTreeView* m_table;
    StateOverlay* m_overlay; // over the table, and not disabled with it
    QFrame* m_actions;       // below it
    QPushButton* m_show;
    QPushButton* m_relax;
};

} // namespace fw::ui
