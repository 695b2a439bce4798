#include "views/authoring/rules_model.h"

#include "views/authoring/book_rows.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"

#include <QMimeData>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

RulesModel::RulesModel(QObject* parent) : QAbstractItemModel(parent) {}

void RulesModel::setContent(RulesContent content) {
    beginResetModel();
    m_content = std::move(content);
    m_rows = rowsOf(m_content);
    endResetModel();
}

QModelIndex RulesModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, quintptr(childrenOf(parent)[std::size_t(row)]));
}

QModelIndex RulesModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || item(child).parent < 0)
        return {};
    const int number = item(child).parent;
    return createIndex(m_rows.items()[std::size_t(number)].row, 0, quintptr(number));
}

int RulesModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : int(childrenOf(parent).size());
}

int RulesModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

Qt::ItemFlags RulesModel::flags(const QModelIndex& index) const {
    if (!index.isValid())
        return Qt::ItemIsDropEnabled; // between the books
    Qt::ItemFlags out = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (!item(index).path.isEmpty())
        out |= Qt::ItemIsDragEnabled | Qt::ItemIsDropEnabled;
    if (index.column() == Name && item(index).check != RulesItem::Check::None)
        out |= Qt::ItemIsUserCheckable;
    return out;
}

QVariant RulesModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RulesItem& row = item(index);
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Name      ? row.name
               : index.column() == Verdict ? row.verdict
                                           : row.detail;
    case Qt::CheckStateRole:
        if (index.column() != Name || row.check == RulesItem::Check::None)
            return {};
        return int(row.check == RulesItem::Check::On ? Qt::Checked : Qt::Unchecked);
    case Qt::ToolTipRole:
        return toolTipOf(row.tip);
    case Qt::TextAlignmentRole:
        return int((index.column() != Name ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case ClosedRole:
        return row.closed;
    case ItemRole::WholeFrontRole: // a sentence is read from its front, names from both ends
        return index.column() == Name ? 0 : int(data(index, Qt::DisplayRole).toString().size());
    case ItemRole::ToneRole:
        return index.column() == Detail    ? QVariant(int(row.tone))
               : index.column() == Verdict ? QVariant(int(row.verdictTone))
                                           : QVariant();
    case PathRole:
        return row.path;
    case NodesRole:
        return QVariant::fromValue(row.nodes);
    case RewrittenRole:
        return row.rewritten;
    case FileRole:
        return row.file;
    case LineRole:
        return row.line;
    default:
        return {};
    }
}

bool RulesModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || role != Qt::CheckStateRole ||
        item(index).check == RulesItem::Check::None)
        return false;
    // The document decides; its answer fills the model again.
    const bool on = value.toInt() == Qt::Checked;
    if (item(index).path.isEmpty())
        Q_EMIT shippedSwitched(item(index).file, on);
    else
        Q_EMIT bookSwitched(item(index).path, on);
    return true;
}

QStringList RulesModel::mimeTypes() const {
    return {u"application/x-fusewright-book"_s};
}

QMimeData* RulesModel::mimeData(const QModelIndexList& indexes) const {
    auto* out = new QMimeData;
    for (const QModelIndex& index : indexes)
        if (const QString path = index.data(PathRole).toString(); !path.isEmpty())
            out->setData(mimeTypes().front(), path.toUtf8());
    return out;
}

bool RulesModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int,
                              const QModelIndex& parent) {
    if (action != Qt::MoveAction || !data->hasFormat(mimeTypes().front()))
        return false;
    const QString path = QString::fromUtf8(data->data(mimeTypes().front()));
    int from = -1;
    for (int i = 0; i < bookCount(); ++i)
        if (text(m_content.books[std::size_t(i)].path) == path)
            from = i;
    if (from < 0)
        return false;
    // Onto a book: to its place; behind the books, the library too: to the end.
    int to = parent.isValid() ? parent.row() : row < 0 ? bookCount() : row;
    to = std::min(to, bookCount());
    if (!parent.isValid() && to > from)
        --to;
    if (to != from)
        Q_EMIT bookMoved(path, to);
    return false; // the document moves it, and fills the model again
}

QVariant RulesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 ||
        section >= ColumnCount)
        return {};
    return section == Name ? u"rule"_s : u""_s;
}

} // namespace fw::ui
