#include "views/profile/profile_model.h"

#include "picture/diagram.h"
#include "views/common/difference.h"
#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/tool_tip.h"

#include <algorithm>
#include <cmath>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::ProfileRow;
using snapshot::ShareRecord;

namespace {

// Rows of the first level carry 0, rows below group row r carry r + 1.
constexpr quintptr topLevel = 0;

QVariant optionalNumber(const std::optional<double>& value, int digits, bool forSorting) {
    if (!value)
        return forSorting ? QVariant(-1.0) : QVariant(u"–"_s);
    return forSorting ? QVariant(*value) : QVariant(QString::number(*value, 'f', digits));
}

} // namespace

ProfileModel::ProfileModel(QObject* parent) : QAbstractItemModel(parent) {}

void ProfileModel::setProfile(std::shared_ptr<const snapshot::ProfileDocument> profile) {
    beginResetModel();
    m_profile = std::move(profile);
    endResetModel();
}

void ProfileModel::setAgainst(std::shared_ptr<const snapshot::TimesComparison> against) {
    m_against = std::move(against);
    m_differences.clear();
    if (m_against)
        for (const snapshot::GroupDifference& one : m_against->groups)
            for (const int group : one.groupIds)
                m_differences[group] = &one;
    if (const int rows = rowCount())
        Q_EMIT dataChanged(index(0, Difference), index(rows - 1, Difference));
}

QModelIndex ProfileModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row() + 1) : topLevel);
}

QModelIndex ProfileModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == topLevel)
        return {};
    return createIndex(int(child.internalId() - 1), 0, topLevel);
}

int ProfileModel::rowCount(const QModelIndex& parent) const {
    if (!m_profile || parent.column() > 0)
        return 0;
    if (!parent.isValid())
        return int(m_profile->rows.size());
    return parent.internalId() == topLevel ? int(m_profile->rows[size_t(parent.row())].nodes.size())
                                           : 0;
}

int ProfileModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QVariant ProfileModel::cell(const QModelIndex& index, bool forSorting) const {
    const bool group = index.internalId() == topLevel;
    const ProfileRow& row = m_profile->rows[group ? size_t(index.row()) : index.internalId() - 1];
    if (!group) {
        const ShareRecord& node = row.nodes[size_t(index.row())];
        const QString mark = node.estimated ? u"≈ "_s : QString();
        switch (Column(index.column())) {
        case Name:
            return QString::fromStdString(node.name);
        case Median: {
            if (!node.share)
                return forSorting ? QVariant(-1.0) : QVariant(u"–"_s);
            const double time = *node.share * row.medianUs;
            return forSorting ? QVariant(time) : QVariant(mark + timeText(time));
        }
        case Bar:
        case Share: {
            if (!node.share)
                return forSorting ? QVariant(-1.0) : QVariant(u"–"_s);
            const double share = *node.share * row.share;
            if (forSorting)
                return share;
            return index.column() == Bar
                       ? QVariant()
                       : QVariant(mark + QString::number(share * 100, 'f', 1) + u" %"_s);
        }
        case Implementation:
        case Estimate:
        case Difference:
        case Gflops:
        case Gbps:
        case Calls:
        case ColumnCount:
            return {};
        }
        return {};
    }
    return groupCell(row, Column(index.column()), forSorting);
}

QVariant ProfileModel::groupCell(const ProfileRow& row, Column column, bool forSorting) const {
    switch (column) {
    case Name:
        return QString::fromStdString(row.group);
    case Implementation:
        return forSorting ? QVariant(QString::fromStdString(row.implementation)) : QVariant();
    case Median:
        return forSorting
                   ? QVariant(row.medianUs)
                   : QVariant(timeText(row.medianUs) + (row.disturbed ? u" *"_s : QString()));
    case Estimate:
        if (!row.estUs)
            return optionalNumber({}, 0, forSorting);
        return forSorting ? QVariant(*row.estUs) : QVariant(timeText(*row.estUs));
    case Difference:
        return forSorting
                   ? QVariant(differenceOf(differenceAt(row)))
                   : QVariant(row.nodes.empty() ? QString() : differenceCell(differenceAt(row)));
    case Bar:
        return forSorting ? QVariant(row.share) : QVariant();
    case Share:
        return forSorting ? QVariant(row.share)
                          : QVariant(QString::number(row.share * 100, 'f', 1) + u" %"_s);
    case Gflops:
        return optionalNumber(row.gflops, 1, forSorting);
    case Gbps:
        return optionalNumber(row.gbps, 1, forSorting);
    case Calls:
        return forSorting ? QVariant(qlonglong(row.calls)) : QVariant(QString::number(row.calls));
    case ColumnCount:
        break;
    }
    return {};
}

const snapshot::GroupDifference* ProfileModel::differenceAt(const ProfileRow& row) const {
    const auto found = m_differences.find(row.groupId);
    return row.nodes.empty() || found == m_differences.end() ? nullptr : found->second;
}

QVariant ProfileModel::tipOf(const QModelIndex& index) const {
    const bool group = index.internalId() == topLevel;
    const ProfileRow& row = m_profile->rows[group ? size_t(index.row()) : index.internalId() - 1];
    if (group && index.column() == Difference)
        return toolTipOf(differenceTip(differenceAt(row)));
    if (group && row.disturbed && index.column() == Median)
        return u"disturbed by other work, the least was %1"_s.arg(timeText(row.minUs));
    if (group && row.estUs && index.column() == Estimate)
        return u"what the plan expected; it takes %1 times as long"_s.arg(
            QString::number(row.medianUs / *row.estUs, 'g', 2));
    if (group)
        return toolTipOf(QString::fromStdString(row.group + ": " + row.implementation));
    return row.nodes[size_t(index.row())].estimated
               ? u"the group runs as one kernel; this share is estimated"_s
               : u"measured"_s;
}

QVariant ProfileModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !m_profile)
        return {};
    const bool group = index.internalId() == topLevel;
    const ProfileRow& row = m_profile->rows[group ? size_t(index.row()) : index.internalId() - 1];
    switch (role) {
    case Qt::DisplayRole:
        return cell(index, false);
    case SortRole:
        return cell(index, true);
    case Qt::TextAlignmentRole:
        return int((index.column() <= Implementation || index.column() == Bar ? Qt::AlignLeft
                                                                              : Qt::AlignRight) |
                   Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return tipOf(index);
    case ItemRole::ShareRole: // a bar, relative to the whole, so that runs compare
        if (index.column() != Bar)
            return {};
        return group ? row.share : row.share * row.nodes[size_t(index.row())].share.value_or(0);
    case ItemRole::ToneRole:
        return index.column() == Difference && group ? int(differenceTone(differenceAt(row)))
                                                     : QVariant();
    case ItemRole::MakerRole:
        if (index.column() != Implementation || !group)
            return {};
        return QVariant::fromValue(row.maker);
    case GroupRole:
        return row.groupId;
    case NodeRole:
        return group ? qlonglong(snapshot::noNode) : qlonglong(row.nodes[size_t(index.row())].id);
    case EstimatedRole:
        return !group && row.nodes[size_t(index.row())].estimated;
    default:
        return {};
    }
}

QVariant ProfileModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section <= Implementation || section == Bar ? Qt::AlignLeft : Qt::AlignRight) |
                   Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    static const QStringList titles = {u"group"_s,    u"by"_s,   u"median"_s, u"est."_s,
                                       u"baseline"_s, u""_s,     u"share"_s,  u"GFLOP/s"_s,
                                       u"GB/s"_s,     u"calls"_s};
    return titles[section];
}

QModelIndex ProfileModel::indexOfGroup(int group) const {
    if (!m_profile)
        return {};
    for (std::size_t row = 0; row < m_profile->rows.size(); ++row) {
        if (m_profile->rows[row].groupId == group)
            return index(int(row), 0);
    }
    return {};
}

} // namespace fw::ui
