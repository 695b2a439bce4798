#include "views/inspector/outline_model.h"

#include "picture/diagram.h"
#include "snapshot/insides.h"
#include "views/common/pane.h"
#include "views/common/tool_tip.h"

#include <algorithm>
#include <map>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::NodeRecord;

namespace {

// Rows of the first level carry 0, rows below row r carry r + 1.
constexpr quintptr topLevel = 0;

QString titleOf(const NodeRecord& node) {
    QString out = QString::fromStdString(node.op);
    if (node.op == "input" && !node.outputs.empty())
        out += u"  "_s + QString::fromStdString(node.outputs[0].name);
    else if (!node.name.empty())
        out += u"  "_s + QString::fromStdString(node.name);
    return out;
}

} // namespace

QString searchTextOf(const NodeRecord& node) {
    QString out = QString::fromStdString(node.op + " " + node.name);
    for (const auto& output : node.outputs)
        out += u' ' + QString::fromStdString(output.name + " " + output.type);
    return out.toLower();
}

OutlineModel::OutlineModel(QObject* parent) : QAbstractItemModel(parent) {}

void OutlineModel::setGraph(std::shared_ptr<const snapshot::GraphDocument> graph) {
    beginResetModel();
    m_graph = std::move(graph);
    m_entries.clear();
    if (m_graph) {
        // Groups stand where their first node stands, so the tree reads from input to output.
        std::map<int, int> groupIndex;
        for (std::size_t i = 0; i < m_graph->groups.size(); ++i)
            groupIndex[m_graph->groups[i].id] = int(i);
        std::map<int, std::size_t> entryOf;
        const auto inside = snapshot::nodesInside(*m_graph); // no steps of their own
        for (std::size_t i = 0; i < m_graph->nodes.size(); ++i) {
            const NodeRecord& node = m_graph->nodes[i];
            if (inside.contains(node.id))
                continue;
            const auto group = groupIndex.find(node.group);
            if (group == groupIndex.end()) {
                if (!node.constant)
                    m_entries.push_back({-1, i, {}});
                continue;
            }
            const auto [entry, isNew] = entryOf.emplace(node.group, m_entries.size());
            if (isNew)
                m_entries.push_back({group->second, 0, {}});
            m_entries[entry->second].nodes.push_back(i);
        }
    }
    endResetModel();
}

QModelIndex OutlineModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row() + 1) : topLevel);
}

QModelIndex OutlineModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == topLevel)
        return {};
    return createIndex(int(child.internalId() - 1), 0, topLevel);
}

int OutlineModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid())
        return int(m_entries.size());
    if (parent.internalId() != topLevel || parent.column() > 0)
        return 0;
    return int(m_entries[size_t(parent.row())].nodes.size());
}

int OutlineModel::columnCount(const QModelIndex&) const {
    return 2; // title, count
}

const NodeRecord* OutlineModel::nodeAt(const QModelIndex& index) const {
    if (index.internalId() != topLevel)
        return &m_graph->nodes[m_entries[index.internalId() - 1].nodes[size_t(index.row())]];
    const Entry& entry = m_entries[size_t(index.row())];
    return entry.group >= 0 ? nullptr : &m_graph->nodes[entry.node];
}

QVariant OutlineModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (const NodeRecord* node = nodeAt(index)) {
        switch (role) {
        case Qt::DisplayRole:
            return index.column() == 0 ? titleOf(*node) : QString();
        case Qt::ToolTipRole:
            return toolTipOf(titleOf(*node) +
                             (node->outputs.empty()
                                  ? QString()
                                  : u": "_s + QString::fromStdString(node->outputs[0].type)));
        case ItemRole::WholeFrontRole: // the operator, and the blanks behind it
            return index.column() == 0 ? int(QString::fromStdString(node->op).size()) + 2 : 0;
        case GroupRole:
            return node->group;
        case NodeRole:
            return qlonglong(node->id);
        case SearchRole:
            return searchTextOf(*node);
        default:
            return {};
        }
    }
    const Entry& entry = m_entries[size_t(index.row())];
    const snapshot::GroupLabel& group = m_graph->groups[size_t(entry.group)];
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == 0 ? QString::fromStdString(group.name)
                                   : QString::number(entry.nodes.size());
    case Qt::ToolTipRole:
        return toolTipOf(QString::fromStdString(group.name + ": " + group.implementation));
    case Qt::TextAlignmentRole:
        return int((index.column() == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case GroupRole:
        return group.id;
    case NodeRole:
        return qlonglong(snapshot::noNode);
    case ItemRole::MakerRole: // a chip before the name
        if (index.column() != 0)
            return {};
        return QVariant::fromValue(group.maker);
    case SearchRole:
        return QString::fromStdString(group.name + " " + group.implementation).toLower();
    default:
        return {};
    }
}

QModelIndex OutlineModel::indexOfNode(snapshot::NodeId id) const {
    for (std::size_t row = 0; row < m_entries.size(); ++row) {
        const Entry& entry = m_entries[row];
        if (entry.group < 0) {
            if (m_graph->nodes[entry.node].id == id)
                return index(int(row), 0);
            continue;
        }
        for (std::size_t i = 0; i < entry.nodes.size(); ++i) {
            if (m_graph->nodes[entry.nodes[i]].id == id)
                return index(int(i), 0, index(int(row), 0));
        }
    }
    return {};
}

QModelIndex OutlineModel::indexOfGroup(int group) const {
    for (std::size_t row = 0; row < m_entries.size(); ++row) {
        if (m_entries[row].group >= 0 && m_graph->groups[size_t(m_entries[row].group)].id == group)
            return index(int(row), 0);
    }
    return {};
}

int OutlineModel::operatorCount() const {
    if (!m_graph)
        return 0;
    const auto inside = snapshot::nodesInside(*m_graph);
    return int(
        std::count_if(m_graph->nodes.begin(), m_graph->nodes.end(), [&](const NodeRecord& n) {
            return !n.constant && n.op != "input" && !inside.contains(n.id);
        }));
}

} // namespace fw::ui
