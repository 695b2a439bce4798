#include "views/compare/changes_view.h"

#include "views/common/pane.h"
#include "views/common/state_overlay.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

ChangesView::ChangesView(QWidget* parent)
    : View(parent), m_table(new QTreeView(this)), m_footer(new QLabel(this)),
      m_selected(new QLabel(this)) {
    setPlanOverlay(new StateOverlay(m_table));
    addCommand(MenuPlace::Changes, u"Next &change"_s, u"F4"_s,
               [this] { Q_EMIT asked(Request::NextChange); });
    addCommand(MenuPlace::Changes, u"Previous chan&ge"_s, u"Shift+F4"_s,
               [this] { Q_EMIT asked(Request::PreviousChange); });
    m_table->setObjectName(u"changes"_s);
    m_table->setAccessibleName(u"Changes"_s);
    m_table->setModel(&m_model);
    prepare(m_table);
    m_table->setRootIsDecorated(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionResizeMode(ChangesModel::What, QHeaderView::Stretch);
    m_table->header()->resizeSection(ChangesModel::Kind, 124);
    m_table->header()->resizeSection(ChangesModel::Before, 96);
    m_table->header()->resizeSection(ChangesModel::After, 104);
    m_table->header()->resizeSection(ChangesModel::TimeBefore, 96);
    m_table->header()->resizeSection(ChangesModel::TimeAfter, 104);
    for (QLabel* label : {m_selected, m_footer}) {
        label->setTextFormat(Qt::PlainText);
        label->setProperty("muted", true);
        label->setWordWrap(true); // two targets are wider than many a dock
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setContentsMargins(10, 4, 10, 5);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_selected);
    layout->addWidget(m_footer);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                const auto* change = m_model.change(current.isValid() ? current.row() : -1);
                // Of groups that are gone there is nothing to show.
                if (change && !change->after.empty())
                    selection().pick(
                        selection().ofFused({change->nodes.begin(), change->nodes.end()}), this);
            });
    setChanges(nullptr);
}

void ChangesView::documentChanged(Parts parts) {
    const auto& changes = document().changes();
    if (parts.has(Part::Changes)) {
        setChanges(changes);
        if (document().plan() != m_announced) // else its times came
            announce();
        m_announced = document().plan();
    }
    if (parts.hasAny({Part::Info, Part::Plan}) &&
        !showPlanState(*overlay(), document(), changes && !isEmpty(*changes)))
        setChanges(changes); // says why there are none
}

// What is selected, in sum, whether it changed or not.
void ChangesView::selectionChanged(const QObject*) {
    std::vector<int> groups;
    const auto& picked = selection().picked().fused;
    if (const auto& plan = document().plan(); plan && !picked.empty())
        for (const auto& group : plan->groups)
            if (std::any_of(group.nodeIds.begin(), group.nodeIds.end(),
                            [&](snapshot::NodeId id) { return picked.contains(id); }))
                groups.push_back(group.id);
    m_selected->setText(groups.empty() ? QString() : m_model.totalOf(groups));
    m_selected->setVisible(!m_selected->text().isEmpty());
}

void ChangesView::fitColumns() {
    for (const int column : {ChangesModel::TimeBefore, ChangesModel::TimeAfter})
        m_table->setColumnHidden(column, !m_model.isMeasured());
}

void ChangesView::announce() {
    const auto& changes = document().changes();
    const std::size_t count =
        changes ? changes->changed.size() + changes->added.size() + changes->removed.size() : 0;
    Q_EMIT titleChanged(count ? u"Changes (%1)"_s.arg(count) : u"Changes"_s);
    if (!changes)
        return;
    Q_EMIT asked(Log{u"planned again: "_s + (count ? m_model.summary() : u"nothing changed"_s)});
    Q_EMIT asked(Say{count ? u"plan: "_s + m_model.summary() : u"the plan stays as it was"_s});
    if (count)
        Q_EMIT asked(ComeToFront{});
}

void ChangesView::setChanges(const Shared<snapshot::DiffDocument>& changes) {
    m_model.setChanges(changes);
    fitColumns();
    if (isAttached())
        selectionChanged(nullptr);
    m_footer->setVisible(changes != nullptr);
    if (!changes) {
        m_footer->clear();
        return overlay()->setEmpty(u"No changes yet"_s,
                                   u"Switch a library, choose another target or open a rule book: "
                                   "what that changes in the plan stands here."_s);
    }
    const QString between = changes->before == changes->after
                                ? QString()
                                : u"%1  →  %2"_s.arg(QString::fromStdString(changes->before),
                                                     QString::fromStdString(changes->after));
    if (isEmpty(*changes)) {
        QStringList same = {m_model.isMeasured() ? m_model.total() : QString(), between};
        same.removeAll(QString());
        m_footer->setText(same.join(u" · "_s));
        return overlay()->setEmpty(u"Nothing changed"_s,
                                   u"The plan has the same groups and implementations."_s);
    }
    QStringList said = {m_model.summary(), m_model.total(), between};
    said.removeAll(QString());
    m_footer->setText(said.join(u" · "_s));
    overlay()->setReady();
}

bool ChangesView::serve(Request request) {
    if (request != Request::NextChange && request != Request::PreviousChange)
        return false;
    step(request == Request::NextChange ? +1 : -1);
    return true;
}

void ChangesView::step(int by) {
    const int rows = m_model.rowCount();
    if (!rows)
        return;
    const QModelIndex now = m_table->currentIndex();
    const int row = now.isValid() ? std::clamp(now.row() + by, 0, rows - 1) : by > 0 ? 0 : rows - 1;
    m_table->setCurrentIndex(m_model.index(row, 0));
}

QString ChangesView::footerText() const {
    return m_footer->text() +
           (m_selected->text().isEmpty() ? QString() : u'\n' + m_selected->text());
}

} // namespace fw::ui
