// The view that resources/docs/add-view.md adds: which operators the model has, and how many.
#pragma once

#include "views/common/view.h"

class QTreeWidget;

namespace fw::ui {

class OperatorsView : public View {
    Q_OBJECT

public:
    explicit OperatorsView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void selectionChanged(const QObject* origin) override;

    QTreeWidget* table() const { return m_table; }

private:
    enum Column { Operator, Count, Elements, ColumnCount };
    void fill();
    void pickCurrent();

    QTreeWidget* m_table;
};

} // namespace fw::ui
