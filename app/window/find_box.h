// The box in which people type what they look for, with the count beside it and, while they type,
// what was found as a list below it: by block, above it what the word may become.
//
// Down and Up walk through the list, Enter goes to the row or on to the next hit, Tab takes the
// first completion, Ctrl+Enter lists all, Escape closes the list and then leaves the box. An empty
// box lists what was looked for before, first of that what was kept by the star.
#pragma once

#include "views/common/found_model.h"

#include <QFrame>
#include <QTimer>
#include <QWidget>

class QAction;
class QLabel;
class QLineEdit;
class QTreeView;

namespace fw::ui {

class Settings;

class FindBox : public QWidget {
    Q_OBJECT

public:
    // All live longer; without settings nothing is remembered.
    FindBox(NodeFinder& finder, const DocumentParts& document, Settings* settings,
            QWidget* parent = nullptr);

    void lookFor(const QString& query); // as if it were typed
    void edit();                        // the keys go there
    QLineEdit* line() const { return m_line; }
    QLabel* count() const { return m_count; }
    QFrame* list() const { return m_list; }
    QTreeView* rows() const { return m_rows; }
    const FoundModel& model() const { return m_model; }

Q_SIGNALS:
    void stepWanted(int by);
    void allWanted(); // as a page of their own
    void left();      // Escape

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    static constexpr int mostListed = 300;

    bool keyPressed(int key, Qt::KeyboardModifiers modifiers);
    void look();
    void fill();
    void showList();
    void take(const QModelIndex& row);
    void select(int by);
    void keep(); // or no longer
    void showCount();
    FoundModel::Offers earlier() const;

    NodeFinder& m_finder;
    const DocumentParts& m_document;
    Settings* m_settings;
    FoundModel m_model;
    QLineEdit* m_line;
    QAction* m_star;
    QLabel* m_count;
    QFrame* m_list;
    QTreeView* m_rows;
    QTimer m_pause;
};

} // namespace fw::ui
