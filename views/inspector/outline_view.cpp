#include "views/inspector/outline_view.h"

#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QTreeView>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostOpened = 5000; // operators of a graph whose groups are shown open

}

OutlineView::OutlineView(QWidget* parent)
    : View(parent), m_filter(new QLineEdit(this)), m_tree(new QTreeView(this)) {
    setPlanOverlay(new StateOverlay(m_tree));
    m_filtered.setSourceModel(&m_model);
    m_filtered.setFilterRole(OutlineModel::SearchRole);
    m_filtered.setRecursiveFilteringEnabled(true);
    m_filtered.setAutoAcceptChildRows(true);
    m_filter->setPlaceholderText(u"Filter"_s);
    m_filter->setClearButtonEnabled(true);
    m_filter->setAccessibleName(u"Filter the outline"_s);
    m_tree->setModel(&m_filtered);
    m_tree->setObjectName(u"outlineTree"_s);
    m_tree->setAccessibleName(u"Outline"_s);
    m_tree->setHeaderHidden(true);
    prepare(m_tree);
    m_tree->setSelectionMode(QAbstractItemView::SingleSelection);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setMinimumSectionSize(20);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::Fixed);
    m_tree->header()->resizeSection(1, 34);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* line = new QVBoxLayout;
    line->setContentsMargins(8, 6, 8, 6);
    line->addWidget(m_filter);
    layout->addLayout(line);
    layout->addWidget(m_tree, 1);
    setGraph(nullptr);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_selecting = true;
        m_filtered.setFilterFixedString(text.toLower());
        m_selecting = false;
        if (!text.isEmpty())
            m_tree->expandAll();
    });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!m_selecting && current.isValid())
                    pickRow(current.data(OutlineModel::GroupRole).toInt(),
                            current.data(OutlineModel::NodeRole).toLongLong());
            });
}

// The fused graph, and the imported one until there is one.
void OutlineView::documentChanged(Parts parts) {
    const Part part = document().fused() ? Part::Fused : Part::Imported;
    const auto& graph = document().fused() ? document().fused() : document().imported();
    if (graph != m_graph && (!graph || document().state(part) == State::Ready)) {
        setGraph(graph);
        setDetail(graph ? countOf(m_model.operatorCount(), u"op"_s) : QString());
    }
    selectionChanged(nullptr);
    if (parts.hasAny({Part::Info, Part::Plan}))
        showPlanState(*overlay(), document(), m_model.rowCount() > 0);
}

void OutlineView::setGraph(const Shared<snapshot::GraphDocument>& graph) {
    m_graph = graph;
    m_selecting = true;
    if (graph)
        overlay()->setReady();
    else
        overlay()->setEmpty(u"No graph yet"_s, {});
    m_model.setGraph(graph);
    // The tree keeps a note of every group that is open: half a kilobyte.
    if (m_model.operatorCount() <= mostOpened)
        m_tree->expandAll();
    m_selecting = false;
}

void OutlineView::selectionChanged(const QObject* origin) {
    if (origin == this)
        return;
    const Picked& picked = selection().picked();
    const snapshot::NodeId node = picked.group >= 0      ? snapshot::noNode
                                  : picked.fused.empty() ? picked.importedSubject
                                                         : picked.fusedSubject;
    m_selecting = true;
    QModelIndex source = m_model.indexOfNode(node);
    if (!source.isValid())
        source = m_model.indexOfGroup(picked.group);
    const QModelIndex index = m_filtered.mapFromSource(source);
    if (index.isValid()) {
        m_tree->setCurrentIndex(index);
        m_tree->scrollTo(index);
    } else {
        m_tree->clearSelection();
    }
    m_selecting = false;
}

} // namespace fw::ui
