#include "views/authoring/order_model.h"

#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"

#include <QFileInfo>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::OrderRecord;

namespace {

constexpr quintptr phaseId = ~quintptr(0); // of a row at the top; else the row of its phase

std::pair<QString, QString> titleOf(const std::string& phase) {
    if (phase == "rewrite")
        return {u"rules"_s,
                u"in this order, again and again until none of them changes the graph"_s};
    if (phase == "pin")
        return {u"pins"_s, u"what is held together or apart, before any rule"_s};
    if (phase == "fuse")
        return {u"fusion rules"_s, u"what they name is one group; a later book is asked first"_s};
    if (phase == "grow")
        return {u"growth"_s,
                u"of what is left: the first line that speaks of a pair of kinds decides"_s};
    if (phase == "implement")
        return {u"implementations"_s, u"blocks add up; a later book changes an earlier one"_s};
    return {u"names"_s, u"what the others name; a later book takes the place of an earlier one"_s};
}

// What a count counts.
QString unitOf(const OrderRecord& entry) {
    return entry.phase == "rewrite" ? u"application"_s
           : entry.phase == "grow"  ? u"pair"_s
                                    : u"group"_s;
}

} // namespace

void OrderModel::setOrder(std::shared_ptr<const snapshot::OrderDocument> order) {
    if (order == m_order)
        return;
    beginResetModel();
    m_order = std::move(order);
    m_phases.clear();
    for (std::size_t i = 0; m_order && i < m_order->entries.size(); ++i) {
        const std::string& phase = m_order->entries[i].phase;
        if (i == 0 || m_order->entries[i - 1].phase != phase) {
            const auto [title, tip] = titleOf(phase);
            m_phases.push_back({title, tip, i, 0});
        }
        ++m_phases.back().count;
    }
    endResetModel();
}

const OrderRecord* OrderModel::entryAt(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == phaseId)
        return nullptr;
    return &m_order->entries[m_phases[std::size_t(index.internalId())].first +
                             std::size_t(index.row())];
}

QModelIndex OrderModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) : phaseId);
}

QModelIndex OrderModel::parent(const QModelIndex& child) const {
    return child.isValid() && child.internalId() != phaseId
               ? createIndex(int(child.internalId()), 0, phaseId)
               : QModelIndex();
}

int OrderModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid())
        return int(m_phases.size());
    return parent.column() > 0 || parent.internalId() != phaseId
               ? 0
               : int(m_phases[std::size_t(parent.row())].count);
}

int OrderModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QVariant OrderModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::TextAlignmentRole) {
        const bool number = index.column() == Count || index.column() == Time;
        return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    const OrderRecord* entry = entryAt(index);
    if (!entry) {
        const Phase& phase = m_phases[std::size_t(index.row())];
        if (role == Qt::DisplayRole && index.column() == Name)
            return phase.title;
        if (role == Qt::DisplayRole && index.column() == Count)
            return QString::number(phase.count);
        return role == Qt::ToolTipRole ? QVariant(toolTipOf(phase.tip)) : QVariant();
    }
    const QString book = QFileInfo(text(entry->file)).fileName();
    switch (role) {
    case Qt::DisplayRole:
        switch (Column(index.column())) {
        case Name:
            return u"%1  %2"_s.arg(index.row() + 1).arg(text(entry->name));
        case Count:
            if (!entry->shadowed.empty())
                return u"never"_s;
            return entry->count ? QString::number(*entry->count) : QString();
        case Time:
            return entry->ms ? timeText(*entry->ms * 1e3) : QString();
        case Book:
            return u"%1:%2"_s.arg(book).arg(entry->line);
        case ColumnCount:
            break;
        }
        return {};
    case ItemRole::ToneRole:
        if (!entry->shadowed.empty())
            return int(Tone::Warning);
        return int(index.column() == Count && entry->count.value_or(0) > 0 ? Tone::Good
                                                                           : Tone::None);
    case Qt::ToolTipRole: {
        QStringList lines{text(entry->kind + " " + entry->name)};
        if (!entry->doc.empty())
            lines << text(entry->doc);
        lines << u"%1:%2"_s.arg(text(entry->file)).arg(entry->line);
        if (entry->count)
            lines << countOf(*entry->count, unitOf(*entry)) +
                         (entry->ms
                              ? u" in %1, with looking for them"_s.arg(timeText(*entry->ms * 1e3))
                              : QString());
        if (!entry->shadowed.empty())
            lines << u"never asked: "_s + text(entry->shadowed);
        return toolTipOf(lines.join(u'\n'));
    }
    case FileRole:
        return text(entry->file);
    case LineRole:
        return entry->line;
    default:
        return {};
    }
}

QVariant OrderModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 ||
        section >= ColumnCount)
        return {};
    static const QStringList titles = {u"in order"_s, u"hits"_s, u"time"_s, u"book"_s};
    return titles[section];
}

} // namespace fw::ui
