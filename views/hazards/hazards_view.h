// What in the model stands in the way of running it, or of running it fast, a cause a row, and what
// to do about it. A click selects the operators that it is about.
#pragma once

#include "views/common/view.h"

#include <QTimer>

class QTreeWidget;

namespace fw::ui {

class HazardsView : public View {
    Q_OBJECT

public:
    explicit HazardsView(QWidget* parent = nullptr);

    enum Column { Code, What, Places, At, Todo, ColumnCount };

    void documentChanged(Parts parts) override;
    void frontChanged() override { m_soon.start(); }
    bool settled() const override { return !m_soon.isActive(); }

    QTreeWidget* table() const { return m_table; }

private:
    void look(); // again, if what is known is of an earlier plan
    void fill();
    const snapshot::HazardRecord* current() const; // null: none
    void pickCurrent();
    void declareCurrent();

    QTreeWidget* m_table;
    QAction* m_declare;
    QTimer m_soon; // behind what others ask of the same plan
    Shared<snapshot::LintDocument> m_shown;
};

} // namespace fw::ui
