#include "views/authoring/match_model.h"

#include "base/declaration_kind.h"
#include "views/authoring/came_cells.h"

#include "views/common/numbers.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

QString matchesText(const snapshot::RuleMatches& rule, NearMisses told) {
    const auto count = std::int64_t(rule.matches.size());
    const auto near = std::max(rule.nearMissCount, std::int64_t(rule.nearMisses.size()));
    if (fits(rule.kind, FitsIn::Plan)) {
        QString out = u"computes "_s + (count == 0 ? u"no group"_s : countOf(count, u"group"_s));
        if (near > 0)
            out += u", refused by "_s + QString::number(near);
        if (count == 1 && !rule.matches.front().outcome.empty())
            out = text(rule.matches.front().outcome);
        return out;
    }
    QString out = count == 0   ? u"no match"_s
                  : count == 1 ? u"1 match"_s
                               : u"%1 matches"_s.arg(count);
    if ((count == 0 || told == NearMisses::Always) && near > 0)
        out += near == 1 ? u", 1 near miss"_s : u", %1 near misses"_s.arg(near);
    if (!rule.stopped.empty())
        out += u", not all"_s;
    if (rule.ms > 0)
        out += u", "_s + timeText(rule.ms * 1e3);
    return out;
}

void MatchModel::setRule(std::optional<snapshot::RuleMatches> rule) {
    if (rule == m_rule)
        return;
    beginResetModel();
    m_rule = std::move(rule);
    endResetModel();
}

void MatchModel::setProbe(std::shared_ptr<const snapshot::ProbeDocument> probe) {
    if (probe == m_probe || (probe && m_probe && *probe == *m_probe))
        return;
    beginResetModel();
    m_probe = std::move(probe);
    endResetModel();
}

void MatchModel::setCame(std::shared_ptr<const snapshot::UsesDocument> came) {
    if (came == m_came || (came && m_came && *came == *m_came))
        return;
    beginResetModel();
    m_came = std::move(came);
    endResetModel();
}

int MatchModel::steps() const {
    return m_rule ? int(m_rule->funnel.size()) : 0;
}

int MatchModel::places() const {
    return m_came ? int(m_came->came.size()) : 0;
}

int MatchModel::probed() const {
    return m_probe && m_rule ? int(m_probe->rows.size()) + 1 : 0;
}

const snapshot::ProbeRow* MatchModel::probedAt(int row) const {
    return row > 0 && row < probed() ? &m_probe->rows[std::size_t(row) - 1] : nullptr;
}

const snapshot::FunnelStep* MatchModel::stepAt(int row) const {
    row -= probed();
    return m_rule && row >= 0 && std::size_t(row) < m_rule->funnel.size()
               ? &m_rule->funnel[std::size_t(row)]
               : nullptr;
}

const snapshot::CameRecord* MatchModel::cameAt(int row) const {
    row -= probed() + steps();
    return row >= 0 && row < places() ? &m_came->came[std::size_t(row)] : nullptr;
}

const snapshot::NearMissRecord* MatchModel::missAt(int row) const {
    row -= probed() + steps() + places();
    // Where a schedule is refused stands among what came of it.
    if (!m_rule || row < 0 || (m_came && fits(m_rule->kind, FitsIn::Plan)))
        return nullptr;
    return std::size_t(row) < m_rule->nearMisses.size() ? &m_rule->nearMisses[std::size_t(row)]
                                                        : nullptr;
}

int MatchModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid())
        return 0;
    const bool misses = m_rule && !(m_came && fits(m_rule->kind, FitsIn::Plan));
    return probed() + steps() + places() + (misses ? int(m_rule->nearMisses.size()) : 0);
}

int MatchModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(ColumnCount);
}

// Where candidates die is where the number falls.
QString MatchModel::textOf(const snapshot::FunnelStep& step, int row, int column) const {
    if (column == What)
        return (stepAt(row - 1) ? u"→ "_s : QString()) + text(step.clause) +
               (step.alternative ? u" |"_s
                : step.optional  ? u" ?"_s
                                 : QString());
    if (column == Count)
        return QString::number(step.count);
    if (column == Share)
        return {};
    if (step.before && step.count < *step.before && !step.optional)
        return u"%1 of %2 end here"_s.arg(*step.before - step.count).arg(*step.before);
    return step.alternative ? u"one of several"_s : step.optional ? u"may be absent"_s : QString();
}

QVariant MatchModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto* step = stepAt(index.row());
    const auto* miss = missAt(index.row());
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == Count ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (index.row() < probed())
        return dataOf(probedAt(index.row()), index.column(), role);
    if (const auto* came = cameAt(index.row()))
        return cameCell(*came, index.column(), role);
    if (step) {
        const auto* first = stepAt(probed());
        switch (role) {
        case Qt::DisplayRole:
            return textOf(*step, index.row(), index.column());
        case ItemRole::ShareRole:
            if (index.column() == Share && first->count > 0)
                return double(step->count) / double(std::max(first->count, step->count));
            return {};
        case ItemRole::ToneRole:
            if (index.column() == Count)
                return int(step->count > 0 ? Tone::None : Tone::Bad);
            return {};
        case Qt::ToolTipRole:
            return toolTipOf(u"line %1: %2 nodes satisfy the pattern up to here"_s.arg(step->line)
                                 .arg(step->count));
        default:
            return {};
        }
    }
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == What)
            return text(miss->root);
        if (index.column() == Count)
            return u"%1/%2"_s.arg(miss->matched).arg(miss->total);
        if (index.column() == Share)
            return {};
        if (fits(m_rule->kind, FitsIn::Plan))
            return text(miss->found);
        return u"expected %1, found %2"_s.arg(text(miss->expected), text(miss->found));
    case ItemRole::ToneRole:
        return index.column() == Count ? QVariant(int(Tone::Warning)) : QVariant();
    case Qt::ToolTipRole:
        return toolTipOf(u"%1\nfails at %2\nexpected %3\nfound %4"_s.arg(
            text(miss->root), text(miss->clause), text(miss->expected), text(miss->found)));
    default:
        return {};
    }
}

// `row` null: the operator itself.
QVariant MatchModel::dataOf(const snapshot::ProbeRow* row, int column, int role) const {
    if (!row) {
        if (role == Qt::DisplayRole && column == What)
            return text(m_probe->node);
        if (role == Qt::DisplayRole && column == Detail)
            return u"%1, selected: how it fits, clause by clause"_s.arg(text(m_probe->op));
        return {};
    }
    const bool no = row->verdict == "no", unknown = row->verdict == "undecided";
    switch (role) {
    case Qt::DisplayRole:
        if (column == What)
            return (row->kind == "clause" ? u"      "_s : u"   "_s) + text(row->clause);
        if (column == Count)
            return no ? u"✖"_s : unknown ? u"?"_s : u"✓"_s;
        if (column == Detail)
            return no && !row->expected.empty()
                       ? u"expected %1, found %2"_s.arg(text(row->expected), text(row->found))
                       : text(row->found);
        return {};
    case ItemRole::ToneRole:
        return column == Count ? QVariant(int(no        ? Tone::Bad
                                              : unknown ? Tone::Warning
                                                        : Tone::Good))
                               : QVariant();
    case Qt::ToolTipRole:
        return toolTipOf(u"%1: %2\n%3"_s.arg(text(row->clause),
                                             no        ? u"does not hold"_s
                                             : unknown ? u"not known"_s
                                                       : u"holds"_s,
                                             text(row->found)));
    default:
        return {};
    }
}

QVariant MatchModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case What:
        return u"step or place"_s;
    case Count:
        return u"nodes"_s;
    case Share:
        return {};
    case Detail:
        return u"what came of it, or why it ends"_s;
    default:
        return {};
    }
}

} // namespace fw::ui
