// The outline tree with a filter line above it.
#pragma once

#include "views/common/view.h"
#include "views/inspector/outline_model.h"

#include <QSortFilterProxyModel>

class QLineEdit;
class QTreeView;

namespace fw::ui {

class OutlineView : public View {
    Q_OBJECT

public:
    explicit OutlineView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void selectionChanged(const QObject* origin) override;

    const OutlineModel& model() const { return m_model; }
    QTreeView* tree() const { return m_tree; }
    QLineEdit* filter() const { return m_filter; }

private:
    void setGraph(const Shared<snapshot::GraphDocument>& graph);

    Shared<snapshot::GraphDocument> m_graph;
    OutlineModel m_model;
    QSortFilterProxyModel m_filtered;
    QLineEdit* m_filter;
    QTreeView* m_tree;
    bool m_selecting = false;
};

} // namespace fw::ui
