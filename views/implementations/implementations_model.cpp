#include "views/implementations/implementations_model.h"

#include "picture/diagram.h"
#include "views/common/difference.h"
#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::CandidateRecord;
using snapshot::GroupRecord;

namespace {

// Rows of the first level carry 0, rows below group row r carry r + 1.
constexpr quintptr topLevel = 0;

const CandidateRecord* chosenOf(const GroupRecord& group) {
    const auto found = std::find_if(
        group.candidates.begin(), group.candidates.end(),
        [](const CandidateRecord& candidate) { return candidate.verdict == "chosen"; });
    return found == group.candidates.end() ? nullptr : &*found;
}

// Chosen because it stands first among equals, which a priority would say better.
bool isTie(const CandidateRecord* candidate) {
    return candidate != nullptr && candidate->verdict == "chosen" && candidate->code == "CHO04";
}

// What a priority left behind: the least estimate of what was ready, where that is less by more
// than chance; null: nothing.
const CandidateRecord* cheaperThan(const CandidateRecord* chosen, const GroupRecord& group) {
    if (chosen == nullptr || chosen->code != "CHO02" || !chosen->estUs)
        return nullptr;
    const CandidateRecord* out = nullptr;
    double least = *chosen->estUs * 0.97;
    for (const CandidateRecord& other : group.candidates)
        if (other.verdict == "ready" && other.estUs && *other.estUs < least) {
            least = *other.estUs;
            out = &other;
        }
    return out;
}

QString verdictOf(const CandidateRecord& candidate) {
    return text(candidate.verdict) +
           (candidate.sentence.empty() ? QString() : u": "_s + text(candidate.sentence)) +
           (candidate.guard.empty() ? QString() : u" · "_s + text(candidate.guard));
}

QString verifiedText(const snapshot::VerifyRow* row) {
    if (row == nullptr)
        return u"–"_s;
    return row->differs ? u"differs"_s : text(row->verdict);
}

Tone verifiedTone(const snapshot::VerifyRow* row) {
    return row == nullptr              ? Tone::None
           : row->differs              ? Tone::Bad
           : row->verdict == "not run" ? Tone::Warning
           : row->verdict == "refused" ? Tone::None
                                       : Tone::Good;
}

} // namespace

ImplementationsModel::ImplementationsModel(QObject* parent) : QAbstractItemModel(parent) {}

void ImplementationsModel::setPlan(std::shared_ptr<const snapshot::FuseDocument> plan) {
    beginResetModel();
    m_plan = std::move(plan);
    m_times.clear();
    m_differences.clear();
    m_verified.reset();
    endResetModel();
}

void ImplementationsModel::setVerified(std::shared_ptr<const snapshot::VerifyDocument> verified) {
    if (verified == m_verified)
        return;
    m_verified = std::move(verified);
    changed(Verified);
}

const snapshot::VerifyRow* ImplementationsModel::verified(int group,
                                                          const std::string& implementation) const {
    if (m_verified)
        for (const snapshot::VerifyModel& model : m_verified->models)
            for (const snapshot::VerifyRow& row : model.rows)
                if (row.implementation == implementation &&
                    std::find(row.groups.begin(), row.groups.end(), group) != row.groups.end())
                    return &row;
    return nullptr;
}

// One that differs before all others, then one that did not run.
const snapshot::VerifyRow* ImplementationsModel::worstOf(const GroupRecord& group) const {
    const snapshot::VerifyRow* out = verified(group.id, group.implementation);
    for (const CandidateRecord& candidate : group.candidates)
        if (const snapshot::VerifyRow* row = verified(group.id, candidate.name))
            if (out == nullptr || int(verifiedTone(row)) > int(verifiedTone(out)))
                out = row;
    return out;
}

void ImplementationsModel::setTimes(std::map<int, double> medianUs) {
    if (medianUs == m_times)
        return;
    m_times = std::move(medianUs);
    changed(Measured);
}

void ImplementationsModel::setDifferences(Differences differences) {
    if (differences == m_differences)
        return;
    m_differences = std::move(differences);
    changed(Difference);
}

const snapshot::GroupDifference* ImplementationsModel::differenceAt(int group) const {
    const auto found = m_differences.find(group);
    return found == m_differences.end() ? nullptr : &found->second;
}

void ImplementationsModel::changed(Column column) {
    if (const int rows = rowCount())
        Q_EMIT dataChanged(index(0, column), index(rows - 1, column));
    for (int row = 0; row < rowCount(); ++row)
        if (const int below = rowCount(index(row, 0)))
            Q_EMIT dataChanged(index(0, column, index(row, 0)),
                               index(below - 1, column, index(row, 0)));
}

const GroupRecord* ImplementationsModel::group(const QModelIndex& index) const {
    if (!index.isValid() || !m_plan)
        return nullptr;
    const bool top = index.internalId() == topLevel;
    return &m_plan->groups[top ? std::size_t(index.row()) : index.internalId() - 1];
}

const CandidateRecord* ImplementationsModel::candidate(const QModelIndex& index) const {
    const GroupRecord* of = group(index);
    if (!of || index.internalId() == topLevel)
        return nullptr;
    return &of->candidates[std::size_t(index.row())];
}

QModelIndex ImplementationsModel::indexOfGroup(int id) const {
    if (m_plan)
        for (std::size_t row = 0; row < m_plan->groups.size(); ++row)
            if (m_plan->groups[row].id == id)
                return index(int(row), 0);
    return {};
}

QModelIndex ImplementationsModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row() + 1) : topLevel);
}

QModelIndex ImplementationsModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == topLevel)
        return {};
    return createIndex(int(child.internalId() - 1), 0, topLevel);
}

int ImplementationsModel::rowCount(const QModelIndex& parent) const {
    if (!m_plan || parent.column() > 0)
        return 0;
    if (!parent.isValid())
        return int(m_plan->groups.size());
    return parent.internalId() == topLevel
               ? int(m_plan->groups[std::size_t(parent.row())].candidates.size())
               : 0;
}

int ImplementationsModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QVariant ImplementationsModel::groupCell(const GroupRecord& group, Column column) const {
    const CandidateRecord* chosen = chosenOf(group);
    switch (column) {
    case Name:
        return text(group.name);
    case Priority:
        return chosen && chosen->priority ? QVariant(*chosen->priority) : QVariant(u"–"_s);
    case Estimate:
        return timeCell(group.estUs);
    case Measured: {
        const auto time = m_times.find(group.id);
        if (time != m_times.end())
            return timeCell(time->second);
        return timeCell(chosen ? chosen->measuredUs : std::nullopt);
    }
    case Difference:
        return differenceCell(differenceAt(group.id));
    case Verified:
        return verifiedText(worstOf(group));
    case Verdict: {
        const auto others = std::max<std::size_t>(group.candidates.size(), 1) - 1;
        QString out = text(group.implementation);
        if (!group.source.empty())
            out += u": "_s + text(chosenBy(group));
        if (others)
            out += u" · %1 other%2"_s.arg(others).arg(others == 1 ? u""_s : u"s"_s);
        if (isTie(chosen))
            out += u" · a tie"_s;
        if (const CandidateRecord* other = cheaperThan(chosen, group))
            out += u" · took %1 where %2 was ready"_s.arg(timeCell(chosen->estUs),
                                                          timeCell(other->estUs));
        return group.warnings.empty() ? out : u"⚠ "_s + text(group.warnings.front());
    }
    case ColumnCount:
        break;
    }
    return {};
}

QVariant ImplementationsModel::candidateCell(const GroupRecord& group,
                                             const CandidateRecord& candidate,
                                             Column column) const {
    switch (column) {
    case Name:
        return text(candidate.name);
    case Priority:
        return candidate.priority ? QVariant(*candidate.priority) : QVariant(u"–"_s);
    case Estimate:
        return timeCell(candidate.estUs);
    case Measured: {
        const auto time = m_times.find(group.id);
        if (!candidate.measuredUs && candidate.verdict == "chosen" && time != m_times.end())
            return timeCell(time->second);
        return timeCell(candidate.measuredUs);
    }
    case Difference: // what was measured is the one that was chosen
        return candidate.verdict == "chosen" ? QVariant(differenceCell(differenceAt(group.id)))
                                             : QVariant();
    case Verified:
        return verifiedText(verified(group.id, candidate.name));
    case Verdict:
        return verdictOf(candidate);
    case ColumnCount:
        break;
    }
    return {};
}

QVariant ImplementationsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !m_plan)
        return {};
    const GroupRecord& of = *group(index);
    const CandidateRecord* row = candidate(index);
    const auto column = Column(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return row ? candidateCell(of, *row, column) : groupCell(of, column);
    case Qt::TextAlignmentRole:
        return int((column >= Estimate ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (column == Difference)
            return toolTipOf(differenceTip(differenceAt(of.id)));
        return toolTipOf(row ? text(row->name) + u": "_s + verdictOf(*row)
                             : text(of.name) + u": "_s + text(of.implementation));
    case ItemRole::MakerRole:
        if (column != Name)
            return {};
        return QVariant::fromValue(row ? row->maker : of.maker);
    case ItemRole::ToneRole:
        if (column == Difference)
            return int(!row || row->verdict == "chosen" ? differenceTone(differenceAt(of.id))
                                                        : Tone::None);
        if (column == Verified)
            return int(verifiedTone(row ? verified(of.id, row->name) : worstOf(of)));
        if (column != Verdict)
            return {};
        if (!row)
            return int(of.warnings.empty() && !of.untuned && !isTie(chosenOf(of)) &&
                               cheaperThan(chosenOf(of), of) == nullptr
                           ? Tone::None
                           : Tone::Warning);
        return int(isTie(row) || (row->verdict == "chosen" && cheaperThan(row, of) != nullptr)
                       ? Tone::Warning
                   : row->verdict == "chosen" ? Tone::Good
                                              : Tone::None);
    case GroupRole:
        return of.id;
    case NameRole:
        return text(row ? row->name : of.implementation);
    default:
        return {};
    }
}

QVariant ImplementationsModel::headerData(int section, Qt::Orientation orientation,
                                          int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section >= Estimate ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    static const QStringList titles = {u"candidates"_s, u"verdict"_s,  u"est."_s, u"time"_s,
                                       u"baseline"_s,   u"verified"_s, u"prio"_s};
    return titles[section];
}

} // namespace fw::ui
