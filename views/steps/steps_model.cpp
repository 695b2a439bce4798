#include "views/steps/steps_model.h"

#include "views/common/numbers.h"
#include "views/common/tool_tip.h"

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

QString listed(const std::vector<snapshot::RewrittenNode>& nodes) {
    QStringList out;
    for (const snapshot::RewrittenNode& node : nodes)
        out << QString::fromStdString(node.op);
    return out.join(u", "_s);
}

} // namespace

StepsModel::StepsModel(QObject* parent) : QAbstractTableModel(parent) {}

void StepsModel::setContent(std::shared_ptr<const snapshot::RewriteDocument> rewrite,
                            std::vector<std::string> leftOut) {
    beginResetModel();
    m_rewrite = std::move(rewrite);
    m_leftOut = std::move(leftOut);
    endResetModel();
}

int StepsModel::applications() const {
    return m_rewrite ? int(m_rewrite->applications.size()) : 0;
}

QString StepsModel::nameOf(int row) const {
    if (row < 0 || row >= rowCount())
        return {};
    if (!isApplied(row))
        return QString::fromStdString(m_leftOut[std::size_t(row - applications())]);
    const snapshot::ApplicationRecord& one = m_rewrite->applications[std::size_t(row)];
    return QString::fromStdString(one.rule + " at " + one.at);
}

int StepsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : applications() + int(m_leftOut.size());
}

int StepsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant StepsModel::data(const QModelIndex& index, int role) const {
    const int row = index.row();
    if (role == Qt::CheckStateRole && index.column() == Number)
        return isApplied(row) ? Qt::Checked : Qt::Unchecked;
    if (role == Qt::TextAlignmentRole && index.column() == Number)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return toolTipOf(isApplied(row) ? nameOf(row)
                                        : nameOf(row) + u": left out; the box applies it again"_s);
    if (role != Qt::DisplayRole)
        return {};
    if (!isApplied(row)) {
        const QString name = nameOf(row);
        const qsizetype at = name.indexOf(u" at "_s);
        return index.column() == Rule   ? name.left(at)
               : index.column() == At   ? name.mid(at + 4)
               : index.column() == Made ? u"left out"_s
                                        : QString();
    }
    const snapshot::ApplicationRecord& one = m_rewrite->applications[std::size_t(row)];
    switch (index.column()) {
    case Number:
        return qint64(one.number);
    case Rule:
        return QString::fromStdString(one.rule);
    case At:
        return QString::fromStdString(one.at);
    default:
        return listed(one.matched) + u" → "_s +
               (one.created.empty() ? u"nothing"_s : listed(one.created));
    }
}

bool StepsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::CheckStateRole || !index.isValid())
        return false;
    // The rows follow when the model was rewritten.
    Q_EMIT wantedChanged(nameOf(index.row()), value.toInt() == Qt::Checked);
    return true;
}

Qt::ItemFlags StepsModel::flags(const QModelIndex& index) const {
    return QAbstractTableModel::flags(index) |
           (index.column() == Number ? Qt::ItemIsUserCheckable : Qt::NoItemFlags);
}

QVariant StepsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    static const QString titles[] = {u"no."_s, u"rule"_s, u"at"_s, u"what it did"_s};
    return titles[section];
}

} // namespace fw::ui
