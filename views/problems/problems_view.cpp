#include "views/problems/problems_view.h"

#include "base/declaration_kind.h"
#include "views/common/state_overlay.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/tool_tip.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTime>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int logLimit = 5000; // lines
constexpr size_t problemLimit = 1000;

// Of a schedule: each step that a group refused, at its line.
Diags refusals(const snapshot::RuleMatches& schedule) {
    Diags out;
    for (const snapshot::NearMissRecord& miss : schedule.nearMisses)
        out.push_back(makeWarning(DiagCode::ScheduleIllegal,
                                  schedule.name + " at " + miss.root + ": " + miss.found,
                                  {schedule.file,
                                   {},
                                   std::max(miss.range.line, schedule.line),
                                   std::max(miss.range.column, 1)}));
    return out;
}

} // namespace

ProblemsModel::ProblemsModel(QObject* parent) : QAbstractTableModel(parent) {}

void ProblemsModel::add(const Diag& diag) {
    const int standing = int(m_standing.size());
    const int last = int(m_problems.size()) - 1;
    if (last >= m_firstCurrent && m_problems.back() == diag)
        return;
    if (m_problems.size() >= problemLimit) {
        // The first of them are the causes of the others: what goes is of earlier inputs.
        if (m_firstCurrent == 0) {
            if (m_unlisted == 0) {
                m_unlisted = 1; // the one whose row this takes
                m_problems.back() = makeDiag(DiagCode::LimitReached, {});
                m_problems.back().severity = Severity::Note;
            }
            m_problems.back().message =
                u"and %1 more problems, which the log lists"_s.arg(++m_unlisted).toStdString();
            return Q_EMIT dataChanged(index(rowCount() - 1, 0),
                                      index(rowCount() - 1, ColumnCount - 1));
        }
        beginRemoveRows({}, standing, standing);
        m_problems.erase(m_problems.begin());
        --m_firstCurrent;
        endRemoveRows();
    }
    const int row = rowCount();
    beginInsertRows({}, row, row);
    m_problems.push_back(diag);
    endInsertRows();
}

void ProblemsModel::clear() {
    beginResetModel();
    m_problems.clear();
    m_firstCurrent = 0;
    m_unlisted = 0;
    endResetModel();
}

void ProblemsModel::setStanding(Diags standing) {
    if (standing == m_standing)
        return;
    if (standing.size() > problemLimit)
        standing.resize(problemLimit);
    if (!m_standing.empty()) {
        beginRemoveRows({}, 0, int(m_standing.size()) - 1);
        m_standing.clear();
        endRemoveRows();
    }
    if (!standing.empty()) {
        beginInsertRows({}, 0, int(standing.size()) - 1);
        m_standing = std::move(standing);
        endInsertRows();
    }
}

Diags ProblemsModel::problems() const {
    Diags out = m_standing;
    out.insert(out.end(), m_problems.begin(), m_problems.end());
    return out;
}

const Diag& ProblemsModel::at(int row) const {
    const auto place = size_t(row);
    return place < m_standing.size() ? m_standing[place] : m_problems[place - m_standing.size()];
}

void ProblemsModel::setGeneration(std::uint64_t generation) {
    if (generation == m_generation)
        return;
    m_generation = generation;
    m_firstCurrent = int(m_problems.size());
    m_unlisted = 0;
    if (!m_problems.empty())
        Q_EMIT dataChanged(index(int(m_standing.size()), 0),
                           index(rowCount() - 1, ColumnCount - 1));
}

int ProblemsModel::count(Severity severity) const {
    const auto same = [&](const Diag& diag) { return diag.severity == severity; };
    return int(std::count_if(m_standing.begin(), m_standing.end(), same) +
               std::count_if(m_problems.begin() + m_firstCurrent, m_problems.end(), same));
}

int ProblemsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_standing.size() + m_problems.size());
}

int ProblemsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Diag& diag = at(index.row());
    if (role == Qt::ForegroundRole && !isCurrent(index.row()))
        return Theme::instance().colour(Colour::Muted);
    if (role == Qt::ForegroundRole && index.column() == Level) {
        switch (diag.severity) {
        case Severity::Error:
            return Theme::instance().colour(Colour::Failing);
        case Severity::Warning:
            return Theme::instance().colour(Colour::NearMiss);
        case Severity::Note:
            return Theme::instance().colour(Colour::Muted);
        }
    }
    if (role == Qt::ToolTipRole)
        return toolTipOf(text(diag.text()));
    if (role != Qt::DisplayRole)
        return {};
    switch (Column(index.column())) {
    case Level:
        switch (diag.severity) {
        case Severity::Error:
            return u"✖ error"_s;
        case Severity::Warning:
            return u"⚠ warning"_s;
        case Severity::Note:
            return u"note"_s;
        }
        return {};
    case Code: {
        const auto code = codeText(diag.code);
        return QString::fromLatin1(code.data(), qsizetype(code.size()));
    }
    case Message:
        return text(diag.message).simplified();
    case MenuPlace:
        return text(diag.where.text());
    case Hint:
        return text(diag.hint);
    case ColumnCount:
        break;
    }
    return {};
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 ||
        section >= ColumnCount)
        return {};
    static const QStringList titles = {u""_s, u"code"_s, u"message"_s, u"where"_s, u"hint"_s};
    return titles[section];
}

ProblemsView::ProblemsView(QWidget* parent) : View(parent), m_table(new QTableView(this)) {
    setOverlay(new StateOverlay(m_table));
    connect(overlay(), &StateOverlay::actionRequested, &m_model, &ProblemsModel::clear);
    connect(&m_model, &QAbstractItemModel::dataChanged, this, &ProblemsView::showState);
    connect(&m_model, &QAbstractItemModel::rowsInserted, this, &ProblemsView::showState);
    connect(&m_model, &QAbstractItemModel::rowsRemoved, this, &ProblemsView::showState);
    connect(&m_model, &QAbstractItemModel::modelReset, this, &ProblemsView::showState);
    showState();
    m_table->setModel(&m_model);
    m_table->setObjectName(u"problemsTable"_s);
    m_table->setAccessibleName(u"Problems"_s);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->resizeSection(ProblemsModel::Level, 80);
    m_table->horizontalHeader()->resizeSection(ProblemsModel::Code, 60);
    m_table->horizontalHeader()->resizeSection(ProblemsModel::Message, 400);
    m_table->horizontalHeader()->resizeSection(ProblemsModel::MenuPlace, 220);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copy = new QAction(u"Copy problem"_s, m_table);
    m_table->addAction(copy);
    connect(copy, &QAction::triggered, this, [this] {
        const QModelIndex current = m_table->currentIndex();
        if (current.isValid())
            QApplication::clipboard()->setText(text(m_model.at(current.row()).text()));
    });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        const Where& where = m_model.at(index.row()).where;
        if (!where.node.empty())
            Q_EMIT asked(SelectNode{text(where.node)});
        else if (where.line > 0)
            Q_EMIT asked(OpenPlace{text(where.file), where.line, where.column});
    });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_table);
}

// What is wrong with books is a problem while it is: of the texts that are typed, of the files, and
// what went wrong where their rules acted.
void ProblemsView::documentChanged(Parts parts) {
    if (parts.has(Part::Inputs)) {
        m_model.setGeneration(document().generation());
        showState();
    }
    if (!parts.hasAny({Part::Checks, Part::Rewrite, Part::Matches}))
        return;
    Diags standing;
    const auto add = [&](const Diags& diags) {
        for (const Diag& diag : diags)
            if (diag.severity != Severity::Note)
                standing.push_back(diag);
    };
    for (const auto& [path, check] : document().checks()) {
        add(check->diagnostics);
        for (const auto& item : check->items)
            add(item.diagnostics);
    }
    std::erase_if(standing, [](const Diag& diag) { return diag.where.line == 0; }); // of a request
    if (document().rewrite())
        add(document().rewrite()->diagnostics);
    for (const auto& found : document().matches())
        for (const auto& rule : found->rules)
            if (fits(rule.kind, FitsIn::Plan))
                add(refusals(rule));
    std::stable_sort(standing.begin(), standing.end(), [](const Diag& a, const Diag& b) {
        return std::tuple(a.where.file, a.where.line, a.where.column) <
               std::tuple(b.where.file, b.where.line, b.where.column);
    });
    standing.erase(std::unique(standing.begin(), standing.end()), standing.end());
    m_model.setStanding(std::move(standing));
}

void ProblemsView::problemAppeared(const Diag& diag) {
    m_model.add(diag);
}

void ProblemsView::showState() {
    const int rows = m_model.rowCount();
    if (rows == 0)
        overlay()->setEmpty(u"No problems"_s, {});
    else if (!m_model.isCurrent(0) && !m_model.isCurrent(rows - 1))
        overlay()->setStale(u"These belong to what was decided before."_s, u"Clear"_s);
    else
        overlay()->setReady();
    QStringList counts;
    if (const int warnings = m_model.count(Severity::Warning))
        counts << u"⚠ %1"_s.arg(warnings);
    if (const int errors = m_model.count(Severity::Error))
        counts << u"✖ %1"_s.arg(errors);
    Q_EMIT statusChanged(counts.join(u"  "_s));
}

LogView::LogView(QWidget* parent) : View(parent), m_text(new QPlainTextEdit(this)) {
    m_text->setReadOnly(true);
    m_text->setMaximumBlockCount(logLimit);
    m_text->setProperty("code", true);
    m_text->setAccessibleName(u"Log"_s);
    m_text->setPlaceholderText(u"What was done, and what the worker wrote."_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 2, 0, 0);
    layout->addWidget(m_text);
}

void LogView::lineLogged(const QString& line) {
    m_text->appendPlainText(QTime::currentTime().toString(u"HH:mm:ss.zzz  "_s) + line);
}

QString LogView::text() const {
    return m_text->toPlainText();
}

} // namespace fw::ui
