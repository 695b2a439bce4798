#include "views/compare/changes_model.h"

#include "snapshot/time_changes.h"
#include "views/common/difference.h"
#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

struct KindText {
    std::string_view kind;
    const char* cell;
    const char* one; // in the summary
    const char* many;
};

constexpr KindText kindTexts[] = {
    {"split", "split", "group split", "groups split"},
    {"merged", "merged", "merge", "merges"},
    {"regrouped", "regrouped", "regrouped", "regrouped"},
    {"implementation", "implementation", "other implementation", "other implementations"},
    {"nodes", "rewritten", "rewritten", "rewritten"},
    {"added", "new", "new group", "new groups"},
    {"removed", "gone", "group gone", "groups gone"},
};

QString measuredText(const snapshot::TimeDifference& time) {
    QString out = u"measured %1 → %2"_s.arg(timeCell(time.beforeUs), timeCell(time.afterUs));
    if (const std::string by = snapshot::differenceText(time); !by.empty())
        out += u", %1, noise %2"_s.arg(text(by), timeText(time.noiseUs));
    return time.code.empty() ? out : out + u' ' + text(time.code);
}

} // namespace

ChangesModel::ChangesModel(QObject* parent) : QAbstractTableModel(parent) {}

void ChangesModel::setChanges(std::shared_ptr<const snapshot::DiffDocument> changes) {
    beginResetModel();
    m_changes = std::move(changes);
    m_rows.clear();
    if (m_changes)
        for (const auto* list : {&m_changes->changed, &m_changes->added, &m_changes->removed})
            for (const auto& change : *list)
                m_rows.push_back(&change);
    endResetModel();
}

const snapshot::ChangeRecord* ChangesModel::change(int row) const {
    return row >= 0 && std::size_t(row) < m_rows.size() ? m_rows[std::size_t(row)] : nullptr;
}

QString ChangesModel::summary() const {
    QStringList parts;
    for (const KindText& text : kindTexts) {
        int count = 0;
        for (const auto* row : m_rows)
            count += row->kind == text.kind;
        if (count)
            parts << u"%1 %2"_s.arg(count).arg(
                QString::fromLatin1(count == 1 ? text.one : text.many));
    }
    return parts.join(u", "_s);
}

QString ChangesModel::total() const {
    if (!m_changes)
        return {};
    QStringList out;
    if (m_changes->estBeforeUs && m_changes->estAfterUs)
        out << u"all groups ≈ %1 → %2"_s.arg(timeText(*m_changes->estBeforeUs),
                                             timeText(*m_changes->estAfterUs)) +
                   (m_changes->otherSizes.empty()
                        ? QString()
                        : u", of other sizes: %1"_s.arg(text(m_changes->otherSizes)));
    if (m_changes->measured)
        out << measuredText(*m_changes->measured);
    for (const snapshot::DecisionRecord& reason : m_changes->apart)
        out << text(reason.code) + u' ' + text(reason.sentence);
    return out.join(u" · "_s);
}

QString ChangesModel::totalOf(const std::vector<int>& groups) const {
    const snapshot::ChangeRecord sum =
        m_changes ? snapshot::sumOf(*m_changes, groups) : snapshot::ChangeRecord();
    if (sum.after.empty())
        return {};
    QString out = u"selected: %1"_s.arg(countOf(std::int64_t(sum.after.size()), u"group"_s));
    if (sum.estBeforeUs && sum.estAfterUs)
        out += u" ≈ %1 → %2"_s.arg(timeText(*sum.estBeforeUs), timeText(*sum.estAfterUs));
    return sum.measured ? out + u" · "_s + measuredText(*sum.measured) : out;
}

int ChangesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int ChangesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ChangesModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const snapshot::ChangeRecord& row = *m_rows[std::size_t(index.row())];
    if (role == Qt::DisplayRole) {
        switch (Column(index.column())) {
        case Kind:
            for (const KindText& text : kindTexts)
                if (row.kind == text.kind)
                    return QString::fromLatin1(text.cell);
            return QString::fromStdString(row.kind);
        case What:
            return QString::fromStdString(row.sentence);
        case Before:
            return timeCell(row.before.empty() ? std::nullopt : row.estBeforeUs);
        case After:
            return timeCell(row.after.empty() ? std::nullopt : row.estAfterUs);
        case TimeBefore:
            return timeCell(row.measured ? row.measured->beforeUs : std::nullopt);
        case TimeAfter:
            return timeCell(row.measured ? row.measured->afterUs : std::nullopt);
        case ColumnCount:
            break;
        }
        return {};
    }
    if (role == Qt::ToolTipRole && index.column() >= TimeBefore && row.measured)
        return toolTipOf(text(snapshot::differenceSentence(*row.measured)));
    if (role == ItemRole::ToneRole && index.column() == TimeAfter && row.measured &&
        m_changes->apart.empty())
        return int(differenceTone(*row.measured));
    if (role == Qt::ToolTipRole)
        return toolTipOf(QString::fromStdString(row.sentence));
    if (role == Qt::TextAlignmentRole)
        return int((index.column() >= Before ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == ItemRole::ToneRole && index.column() == After && m_changes->otherSizes.empty() &&
        row.estBeforeUs && row.estAfterUs && !row.before.empty() && !row.after.empty()) {
        const double ratio = *row.estAfterUs / std::max(*row.estBeforeUs, 1e-9);
        return int(ratio < 0.98 ? Tone::Good : ratio > 1.02 ? Tone::Warning : Tone::None);
    }
    return {};
}

QVariant ChangesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section >= Before ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    static const QStringList titles = {u"change"_s,     u"groups"_s,      u"est. before"_s,
                                       u"est. after"_s, u"time before"_s, u"time after"_s};
    return titles[section];
}

} // namespace fw::ui
