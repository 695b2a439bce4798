#include "views/hazards/hazards_view.h"

#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/common/text.h"

#include <QAction>
#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

HazardsView::HazardsView(QWidget* parent)
    : View(parent), m_table(new QTreeWidget(this)),
      m_declare(new QAction(u"Declare the operator in a book"_s, this)) {
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &HazardsView::look);
    setPlanOverlay(new StateOverlay(m_table));
    addCommand(MenuPlace::Walk, u"What stands in the &way"_s, u"Ctrl+Alt+Shift+W"_s,
               [this] { Q_EMIT asked(Appear{}); });
    m_table->setObjectName(u"hazardsTable"_s);
    m_table->setAccessibleName(u"What stands in the way"_s);
    m_table->setColumnCount(ColumnCount);
    m_table->setHeaderLabels(
        {u"code"_s, u"what stands in the way"_s, u"places"_s, u"where"_s, u"what to do"_s});
    prepare(m_table);
    m_table->setRootIsDecorated(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    QHeaderView* header = m_table->header();
    header->setStretchLastSection(true);
    header->resizeSection(Code, 70);
    header->resizeSection(What, 330);
    header->resizeSection(Places, 70);
    header->resizeSection(At, 150);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_table);
    connect(m_table, &QTreeWidget::itemClicked, this, [this] { pickCurrent(); });
    connect(m_table, &QTreeWidget::itemActivated, this, [this] {
        pickCurrent();
        declareCurrent();
    });
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->addAction(m_declare);
    connect(m_declare, &QAction::triggered, this, [this] { declareCurrent(); });
    connect(m_table, &QTreeWidget::currentItemChanged, this, [this] {
        m_declare->setEnabled(current() != nullptr && !current()->declaration.empty());
    });
}

void HazardsView::documentChanged(Parts parts) {
    fill();
    if (parts.has(Part::Plan))
        m_soon.start();
}

void HazardsView::look() {
    const State known = isAttached() ? document().state(Part::Hazards) : State::Busy;
    if ((known == State::Empty || known == State::Stale) &&
        document().state(Part::Plan) == State::Ready && !document().wasStopped(Part::Hazards))
        Q_EMIT asked(WantPart{Part::Hazards, {}});
    Q_EMIT busyChanged();
}

void HazardsView::fill() {
    if (const auto& found = document().hazards(); found != m_shown) {
        m_shown = found;
        m_table->clear();
        for (const snapshot::HazardRecord& row :
             found ? found->hazards : std::vector<snapshot::HazardRecord>()) {
            auto* item = new QTreeWidgetItem(m_table);
            QStringList names;
            for (const std::string& name : row.names)
                names << QString::fromStdString(name);
            if (row.count > names.size())
                names << u"..."_s;
            item->setText(Code, QString::fromStdString(row.code));
            item->setText(What, QString::fromStdString(row.what));
            item->setText(Places, QString::number(row.count));
            item->setTextAlignment(Places, Qt::AlignRight | Qt::AlignVCenter);
            item->setText(At, names.join(u", "_s));
            item->setText(Todo, QString::fromStdString(row.todo));
            for (const int column : {What, At, Todo}) { // sentences are read from their front
                item->setToolTip(column, item->text(column));
                item->setData(column, ItemRole::WholeFrontRole, int(item->text(column).size()));
            }
        }
    }
    const Diag& why = document().error(Part::Hazards);
    if (document().state(Part::Hazards) == State::Busy)
        overlay()->setBusy(u"Looking for what stands in the way …"_s);
    else if (document().state(Part::Hazards) == State::Error)
        overlay()->setError(u"It cannot be said"_s, QString::fromStdString(why.text()));
    else if (!showPlanState(*overlay(), document(), m_shown != nullptr))
        overlay()->setEmpty(u"Nothing was asked yet"_s, u"Open a model first."_s);
    else if (m_shown && m_shown->hazards.empty())
        overlay()->setEmpty(u"Nothing stands in the way"_s,
                            u"Every operator has code, and no hazard that is known was found."_s);
    const std::size_t count = m_shown ? m_shown->hazards.size() : 0;
    setDetail(count > 0 ? countOf(std::int64_t(count), u"hazard"_s) : QString());
    Q_EMIT titleChanged(count > 0 ? u"Hazards (%1)"_s.arg(count) : u"Hazards"_s);
}

const snapshot::HazardRecord* HazardsView::current() const {
    const int row = m_table->indexOfTopLevelItem(m_table->currentItem());
    return m_shown && row >= 0 ? &m_shown->hazards[std::size_t(row)] : nullptr;
}

void HazardsView::pickCurrent() {
    const snapshot::HazardRecord* row = current();
    if (row == nullptr)
        return;
    if (row->nodes.empty())
        return Q_EMIT asked(Say{u"it is in the file, not in the graph: nothing reads it"_s});
    selection().pick(selection().ofImported({row->nodes.begin(), row->nodes.end()}), this);
}

void HazardsView::declareCurrent() {
    if (const snapshot::HazardRecord* row = current(); row != nullptr && !row->declaration.empty())
        Q_EMIT asked(WriteText{QString::fromStdString(row->declaration)});
}

} // namespace fw::ui
