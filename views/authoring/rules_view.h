// The dock of rule books: open, switch on and off, close; which rules acted, and where. The other
// list has everything that is declared, shipped or not, in the order in which it is asked.
#pragma once

#include "views/authoring/order_model.h"
#include "views/authoring/rules_model.h"
#include "views/common/view.h"

class QPushButton;
class QStackedWidget;
class QTreeView;

namespace fw::ui {

class RulesView : public View {
    Q_OBJECT

public:
    explicit RulesView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;

    // Books with their rules, or all rules in order.
    void showOrder(bool shown);
    bool orderShown() const;
    RulesModel& model() { return m_model; }
    QTreeView* tree() const { return m_tree; }
    OrderModel& orderModel() { return m_orderModel; }
    QTreeView* orderTree() const { return m_order; }
    QString currentBook() const; // path; empty: none of the user's
    void editCurrent();          // asks for the text of the current row
    void moveCurrent(int step);  // of the user's books: up (-1) or down (+1)
    void switchCurrent();        // the book: on or off

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setContent(RulesContent content);
    void setOrder(const Shared<snapshot::OrderDocument>& order);
    void closeCurrent();
    void moveBook(const QString& path, int to);
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
    QAction* m_inOrderCommand;
    bool m_filling = false; // the current row is set again, not chosen
};

} // namespace fw::ui
