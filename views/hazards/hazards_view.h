// What in the model stands in the way of running it, or of running it fast, a cause a row, and what
// to do about it. A click selects the operators that it is about.
#pragma once

#include "views/common/view.h"

class QTreeWidget;

namespace fw::ui {

class HazardsView : public View {
    Q_OBJECT

public:
    explicit HazardsView(QWidget* parent = nullptr);

    enum Column { Code, What, Places, At, Todo, ColumnCount };

    void documentChanged(Parts parts) override;
    void frontChanged() override;

    QTreeWidget* table() const { return m_table; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void look(); // again, if it is seen and what is known is of an earlier plan
    void fill();
    const snapshot::HazardRecord* current() const; // null: none
    void pickCurrent();
    void declareCurrent();

    QTreeWidget* m_table;
    QAction* m_declare;
    Shared<snapshot::LintDocument> m_shown;
};

} // namespace fw::ui
