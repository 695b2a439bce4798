// The outline tree with a filter line above it.
#pragma once

#include "views/inspector/outline_model.h"

#include <QSortFilterProxyModel>
#include <QWidget>

class QLineEdit;
class QTreeView;

namespace fw::ui {

class StateOverlay;

class OutlineView : public QWidget {
    Q_OBJECT

public:
    explicit OutlineView(QWidget* parent = nullptr);

    void setGraph(std::shared_ptr<const snapshot::GraphDocument> graph);
    void select(int group, snapshot::NodeId node); // emits nothing
    const OutlineModel& model() const { return m_model; }
    QTreeView* tree() const { return m_tree; }
    QLineEdit* filter() const { return m_filter; }
    StateOverlay* overlay() const { return m_overlay; }

Q_SIGNALS:
    void activated(int group, qint64 node); // node -1: the group

private:
    OutlineModel m_model;
    QSortFilterProxyModel m_filtered;
    QLineEdit* m_filter;
    QTreeView* m_tree;
    StateOverlay* m_overlay;
    bool m_selecting = false;
};

} // namespace fw::ui
