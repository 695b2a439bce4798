#include "views/profile/profile_model.h"

#include "picture/diagram.h"
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

namespace {

QVariant cellOf(const ShareRecord& node, const ProfileRow& row, ProfileModel::Column column,
                bool forSorting) {
    const QString mark = node.estimated ? u"≈ "_s : QString();
    switch (column) {
    case ProfileModel::Name:
        return QString::fromStdString(node.name);
    case ProfileModel::Median: {
        if (!node.share)
            return forSorting ? QVariant(-1.0) : QVariant(u"–"_s);
        const double time = *node.share * row.medianUs;
        return forSorting ? QVariant(time) : QVariant(mark + timeText(time));
    }
    case ProfileModel::Bar:
    case ProfileModel::Share: {
        if (!node.share)
            return forSorting ? QVariant(-1.0) : QVariant(u"–"_s);
        const double share = *node.share * row.share;
        if (forSorting)
            return share;
        return column == ProfileModel::Bar
                   ? QVariant()
                   : QVariant(mark + QString::number(share * 100, 'f', 1) + u" %"_s);
    }
    default:
        return {};
    }
}

QVariant cellOf(const ProfileRow& row, ProfileModel::Column column, bool forSorting) {
    switch (column) {
    case ProfileModel::Name:
        return QString::fromStdString(row.group);
    case ProfileModel::Implementation:
        return forSorting ? QVariant(QString::fromStdString(row.implementation)) : QVariant();
    case ProfileModel::Median:
        return forSorting
                   ? QVariant(row.medianUs)
                   : QVariant(timeText(row.medianUs) + (row.disturbed ? u" *"_s : QString()));
    case ProfileModel::Estimate:
        if (!row.estUs)
            return optionalNumber({}, 0, forSorting);
        return forSorting ? QVariant(*row.estUs) : QVariant(timeText(*row.estUs));
    case ProfileModel::Bar:
        return forSorting ? QVariant(row.share) : QVariant();
    case ProfileModel::Share:
        return forSorting ? QVariant(row.share)
                          : QVariant(QString::number(row.share * 100, 'f', 1) + u" %"_s);
    case ProfileModel::Gflops:
        return optionalNumber(row.gflops, 1, forSorting);
    case ProfileModel::Gbps:
        return optionalNumber(row.gbps, 1, forSorting);
    case ProfileModel::Calls:
        return forSorting ? QVariant(qlonglong(row.calls)) : QVariant(QString::number(row.calls));
    case ProfileModel::ColumnCount:
        break;
    }
    return {};
}

} // namespace

QVariant ProfileModel::cell(const QModelIndex& index, bool forSorting) const {
    const auto column = Column(index.column());
    if (index.internalId() == topLevel)
        return cellOf(m_profile->rows[size_t(index.row())], column, forSorting);
    const ProfileRow& row = m_profile->rows[index.internalId() - 1];
    return cellOf(row.nodes[size_t(index.row())], row, column, forSorting);
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
    case ItemRole::ShareRole: // a bar, relative to the whole, so that runs compare
        if (index.column() != Bar)
            return {};
        return group ? row.share : row.share * row.nodes[size_t(index.row())].share.value_or(0);
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
    static const QStringList titles = {u"group"_s, u"by"_s,      u"median"_s, u"est."_s, u""_s,
                                       u"share"_s, u"GFLOP/s"_s, u"GB/s"_s,   u"calls"_s};
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
