// The fused graph as a tree: groups, below them their nodes, then the nodes outside any group.
// Without a plan it is the imported graph as one flat list. Constants are left out.
#pragma once

#include "snapshot/records.h"

#include <QAbstractItemModel>

#include <memory>
#include <vector>

namespace fw::ui {

class OutlineModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Role {
        GroupRole = Qt::UserRole, // int, -1: none
        NodeRole,                 // qlonglong, -1: a group
        SearchRole                // operator, name, shapes, for filtering
    };

    explicit OutlineModel(QObject* parent = nullptr);
    // Nodes of the tree carry ids of this graph.
    void setGraph(std::shared_ptr<const snapshot::GraphDocument> graph);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    QModelIndex indexOfNode(snapshot::NodeId node) const;
    QModelIndex indexOfGroup(int group) const;
    int operatorCount() const; // without inputs and constants

private:
    struct Entry {                      // a row of the first level
        int group = -1;                 // index in the document's groups, or
        std::size_t node = 0;           // index of a node outside any group
        std::vector<std::size_t> nodes; // of the group
    };
    const snapshot::NodeRecord* nodeAt(const QModelIndex& index) const;

    std::shared_ptr<const snapshot::GraphDocument> m_graph;
    std::vector<Entry> m_entries;
};

// "conv2d Conv_12 f32[1,64,56,56] ..." in lower case: what find and filter look at.
QString searchTextOf(const snapshot::NodeRecord& node);

} // namespace fw::ui
