// The dock of rule books: open, switch on and off, close; which rules acted, and where. The other
// list has everything that is declared, shipped or not, in the order in which it is asked.
#pragma once

#include "views/authoring/order_model.h"
#include "views/authoring/rules_model.h"

#include <QWidget>

class QPushButton;
class QStackedWidget;
class QTreeView;

namespace fw::ui {

class StateOverlay;

class RulesView : public QWidget {
    Q_OBJECT

public:
    explicit RulesView(QWidget* parent = nullptr);

    void setContent(RulesContent content);
    void setOrder(std::shared_ptr<const snapshot::OrderDocument> order);
    // Books with their rules, or all rules in order.
    void showOrder(bool shown);
    bool orderShown() const;
    RulesModel& model() { return m_model; }
    QTreeView* tree() const { return m_tree; }
    OrderModel& orderModel() { return m_orderModel; }
    QTreeView* orderTree() const { return m_order; }
    StateOverlay* overlay() const { return m_overlay; }
    QString currentBook() const; // path; empty: none of the user's
    void editCurrent();          // asks for the text of the current row
    void moveCurrent(int step);  // of the user's books: up (-1) or down (+1)
    void switchCurrent();        // the user's book: on or off

Q_SIGNALS:
    void newRequested();
    void openRequested();
    // To read or change the text: a path or the name of a shipped book; line 0: from its start.
    void editRequested(const QString& file, int line);
    void closeRequested(const QString& path);
    void bookSwitched(const QString& path, bool on);
    void bookMoved(const QString& path, int to);
    // Nodes of the graph as the rules left it, or as imported.
    void activated(const QList<qint64>& nodes, bool rewritten);
    void orderShownChanged(bool shown);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitDetail(); // leaves the names their room
    RulesModel m_model;
    OrderModel m_orderModel;
    QStackedWidget* m_lists;
    QTreeView* m_tree;
    QTreeView* m_order;
    QPushButton* m_new;
    QPushButton* m_open;
    QPushButton* m_close;
    QPushButton* m_inOrder;
    StateOverlay* m_overlay;
    bool m_filling = false; // the current row is set again, not chosen
};

} // namespace fw::ui
