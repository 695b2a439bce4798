#include "views/authoring/match_panel.h"

#include "views/common/elided_label.h"
#include "views/common/state_overlay.h"
#include "views/common/tool_tip.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int widestLabel = 280; // of a button, in pixels

QString namesText(const std::vector<std::string>& names) {
    QStringList out;
    for (const std::string& name : names)
        out << QString::fromStdString(name);
    return out.isEmpty() ? u"the rules"_s : out.join(u", "_s);
}

} // namespace

MatchPanel::MatchPanel(QWidget* parent)
    : QWidget(parent), m_title(new ElidedLabel(this)), m_previous(new QPushButton(u"◀"_s, this)),
      m_next(new QPushButton(u"▶"_s, this)), m_body(new QWidget(this)),
      m_table(new QTreeView(m_body)), m_overlay(new StateOverlay(m_body)),
      m_actions(new QFrame(this)), m_show(new QPushButton(u"Show"_s, m_actions)),
      m_relax(new QPushButton(u"Relax this clause"_s, m_actions)) {
    m_title->setObjectName(u"matchTitle"_s);
    m_previous->setToolTip(u"The match before (Shift+F3)"_s);
    m_previous->setAccessibleName(u"The match before"_s);
    m_next->setToolTip(u"The next match (F3)"_s);
    m_next->setAccessibleName(u"The next match"_s);
    m_show->setToolTip(u"Shows the node, or the place in the text (Enter)"_s);
    m_table->setObjectName(u"matchTable"_s);
    m_table->setAccessibleName(u"Steps, what came of it, and near misses"_s);
    m_table->setModel(&m_model);
    prepare(m_table);
    m_table->setRootIsDecorated(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->header()->setSectionResizeMode(MatchModel::What, QHeaderView::Interactive);
    m_table->header()->resizeSection(MatchModel::What, 170);
    m_table->header()->setSectionResizeMode(MatchModel::Count, QHeaderView::ResizeToContents);
    m_table->header()->resizeSection(MatchModel::Share, 56);
    m_table->header()->setStretchLastSection(true);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(10, 4, 8, 4);
    top->setSpacing(6);
    top->addWidget(m_title, 1);
    top->addWidget(m_previous);
    top->addWidget(m_next);
    auto* actions = new QHBoxLayout(m_actions);
    actions->setContentsMargins(8, 4, 8, 4);
    actions->setSpacing(6);
    actions->addWidget(m_show);
    actions->addWidget(m_relax);
    actions->addStretch(1);
    for (QPushButton* button : {m_show, m_relax, m_previous, m_next})
        button->setFocusPolicy(Qt::TabFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    auto* body = new QVBoxLayout(m_body);
    body->setContentsMargins(0, 0, 0, 0);
    body->addWidget(m_table);
    layout->addWidget(m_body, 1);
    layout->addWidget(m_actions);
    connect(m_previous, &QPushButton::clicked, this, [this] { Q_EMIT stepRequested(-1); });
    connect(m_next, &QPushButton::clicked, this, [this] { Q_EMIT stepRequested(+1); });
    connect(m_show, &QPushButton::clicked, this, &MatchPanel::showCurrent);
    connect(m_relax, &QPushButton::clicked, this, &MatchPanel::relaxCurrent);
    connect(m_table, &QTreeView::activated, this, &MatchPanel::showCurrent);
    connect(m_table, &QTreeView::clicked, this, &MatchPanel::showCurrent);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &MatchPanel::showButtons);
    setMinimumHeight(110);
    setRule({}, -1);
}

void MatchPanel::setRule(std::optional<snapshot::RuleMatches> rule, int current,
                         const QString& without) {
    const int row = m_table->currentIndex().row();
    const bool same = rule && m_model.rule() && rule->name == m_model.rule()->name;
    QString title = without.isEmpty() ? u"no declaration at the caret"_s : without;
    const std::size_t count = rule ? rule->matches.size() : 0;
    if (rule) {
        title =
            QString::fromStdString(rule->name) + u": "_s + matchesText(*rule, NearMisses::Always);
        if (current >= 0)
            title = u"%1  ·  %2/%3"_s.arg(title).arg(current + 1).arg(count);
    }
    if (rule && count == 0 && rule->behindRules)
        title += u"  ·  %1 behind %2"_s.arg(*rule->behindRules).arg(namesText(rule->madeBy));
    if (rule && rule->beforeRules)
        title += u"  ·  %1 before %2"_s.arg(*rule->beforeRules).arg(namesText(rule->takenBy));
    if (rule && count == 0 && !rule->diagnostics.empty())
        title += u"  ·  "_s + QString::fromStdString(rule->diagnostics.front().message);
    if (rule && !rule->stopped.empty())
        title += u"  ·  "_s + QString::fromStdString(rule->stopped);
    m_found = title;
    m_model.setRule(std::move(rule));
    showTitle();
    if (same && row >= 0 && row < m_model.rowCount())
        m_table->setCurrentIndex(m_model.index(row, 0));
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
    showButtons();
}

void MatchPanel::setProbe(std::shared_ptr<const snapshot::ProbeDocument> probe) {
    const auto* miss = m_model.missAt(m_table->currentIndex().row());
    const std::optional<snapshot::NearMissRecord> kept = miss ? std::optional(*miss) : std::nullopt;
    m_model.setProbe(std::move(probe));
    for (int row = 0; kept && row < m_model.rowCount(); ++row)
        if (const auto* one = m_model.missAt(row); one && *one == *kept)
            m_table->setCurrentIndex(m_model.index(row, 0));
    showButtons();
}

void MatchPanel::setCame(std::shared_ptr<const snapshot::UsesDocument> came) {
    const int row = m_table->currentIndex().row();
    m_model.setCame(std::move(came));
    if (row >= 0 && row < m_model.rowCount())
        m_table->setCurrentIndex(m_model.index(row, 0));
    showTitle();
    showButtons();
}

void MatchPanel::showTitle() {
    const auto* came = m_model.came();
    QString title = m_found;
    if (came && m_model.rule())
        title += u"  ·  "_s + QString::fromStdString(came->said);
    else if (came)
        title = QString::fromStdString(came->kind + ' ' + came->name).trimmed() + u": "_s +
                QString::fromStdString(came->said);
    if (came && came->moreCame > 0)
        title += u", the first %1 are listed"_s.arg(came->came.size());
    m_title->setFullText(title);
}

void MatchPanel::setStale(const QString& why) {
    if (!why.isEmpty() && (m_model.rule() || m_model.came()))
        m_overlay->setStale(why);
    else
        m_overlay->setReady();
    m_table->setEnabled(why.isEmpty());
    showButtons();
}

void MatchPanel::setReadOnly(bool readOnly) {
    m_readOnly = readOnly;
    showButtons();
}

void MatchPanel::setNothing(const QString& why) {
    m_title->setFullText(why);
}

QString MatchPanel::title() const {
    return m_title->fullText();
}

const snapshot::NearMissRecord* MatchPanel::relaxable() const {
    const auto* miss = m_model.missAt(m_table->currentIndex().row());
    for (int row = 0; row < m_model.rowCount() && !miss; ++row)
        if (const auto* other = m_model.missAt(row); other && other->relax)
            miss = other;
    return miss && miss->relax ? miss : nullptr;
}

void MatchPanel::showButtons() {
    const int row = m_table->currentIndex().row();
    const auto* miss = relaxable();
    const bool usable = m_table->isEnabled();
    m_show->setEnabled(usable && (m_model.missAt(row) || m_model.stepAt(row) ||
                                  m_model.cameAt(row) || m_model.probedAt(row)));
    m_relax->setEnabled(usable && miss && !m_readOnly);
    const QString label = miss && !miss->relax->label.empty()
                              ? QString::fromStdString(miss->relax->label)
                              : u"Relax this clause"_s;
    m_relax->setText(fontMetrics().elidedText(label, Qt::ElideMiddle, widestLabel));
    m_relax->setToolTip(
        toolTipOf(m_readOnly ? u"A shipped book is only read: edit a copy of it (Ctrl+Alt+C)"_s
                  : miss     ? u"%1: changes the text so that %2 gets further (Ctrl+Shift+R)"_s.arg(
                                   label, QString::fromStdString(miss->root))
                         : u"Changes the text so that a near miss gets further (Ctrl+Shift+R)"_s));
    m_actions->setVisible(m_model.rule() && !m_model.rule()->nearMisses.empty());
}

void MatchPanel::showCurrent() {
    const int row = m_table->currentIndex().row();
    if (const auto* step = m_model.stepAt(row))
        Q_EMIT placeRequested(*step);
    else if (const auto* probed = m_model.probedAt(row); probed && probed->line > 0)
        Q_EMIT placeRequested(*probed);
    else if (const auto* came = m_model.cameAt(row))
        Q_EMIT cameRequested(snapshot::CameRecord(*came)); // rows may go while it acts
    else if (const auto* miss = m_model.missAt(row))
        Q_EMIT missRequested(*miss);
}

void MatchPanel::relaxCurrent() {
    if (const auto* miss = relaxable(); miss && m_table->isEnabled() && !m_readOnly)
        Q_EMIT relaxRequested(snapshot::Fix(*miss->relax)); // rows may go while it acts
}

} // namespace fw::ui
