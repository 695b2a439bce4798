#include "views/found/found_view.h"

#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/common/text.h"

#include <QHeaderView>
#include <QTreeView>
#include <QVBoxLayout>

#include <limits>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostOpened = 5000; // nodes whose blocks are shown open

}

FoundView::FoundView(NodeFinder& finder, QWidget* parent)
    : View(parent), m_finder(finder), m_tree(new QTreeView(this)) {
    setOverlay(new StateOverlay(m_tree));
    addCommand(MenuPlace::Walk, u"List what is foun&d"_s, u"Ctrl+Shift+F"_s,
               [this] { Q_EMIT asked(Appear{}); });
    addCommand(MenuPlace::Walk, u"Light what is foun&d, dim the rest"_s, u"Ctrl+Shift+J"_s,
               [this] { light(); });
    addCommand(MenuPlace::Filters, u"Hide &what is found"_s, u"Ctrl+Alt+Shift+K"_s,
               [this] { filter(snapshot::KeptFilter::Shows::Others); });
    addCommand(MenuPlace::Filters, u"Only what is fo&und"_s, u"Ctrl+Alt+Shift+J"_s,
               [this] { filter(snapshot::KeptFilter::Shows::These); });
    m_tree->setModel(&m_model);
    m_tree->setObjectName(u"foundTree"_s);
    m_tree->setAccessibleName(u"What was found"_s);
    prepare(m_tree);
    m_tree->setSelectionMode(QAbstractItemView::SingleSelection);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(FoundModel::Node, QHeaderView::Stretch);
    m_tree->header()->resizeSection(FoundModel::Result, 170);
    m_tree->header()->resizeSection(FoundModel::By, 160);
    m_tree->header()->resizeSection(FoundModel::Time, 90);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_tree);
    connect(&m_finder, &NodeFinder::changed, this, [this] {
        m_isOld = true;
        fill();
    });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (const int hit = m_model.hitOf(current); hit >= 0 && !m_filling)
                    m_finder.go(hit);
            });
}

void FoundView::documentChanged(Parts parts) {
    if (parts.hasAny(
            {Part::Info, Part::Imported, Part::Fused, Part::Plan, Part::Profile, Part::Verified}))
        m_finder.lookAgain();
    m_isOld = true;
    fill();
}

void FoundView::frontChanged() {
    fill();
}

void FoundView::fill() {
    if (!isAttached() || !inFront() || !m_isOld)
        return;
    m_isOld = false;
    m_filling = true;
    m_model.show(m_finder, document(), {}, std::numeric_limits<int>::max());
    if (m_finder.hits().size() <= mostOpened)
        m_tree->expandAll();
    if (const QModelIndex at = m_model.indexOfHit(m_finder.at()); at.isValid()) {
        m_tree->setCurrentIndex(at);
        m_tree->scrollTo(at);
    }
    m_filling = false;
    setDetail(m_finder.query().isEmpty() ? QString()
                                         : m_finder.query() + u": "_s + m_finder.countText());
    if (m_finder.query().trimmed().isEmpty())
        overlay()->setEmpty(u"Nothing is looked for"_s,
                            u"Type into the box above (Ctrl+F): words, or op:conv2d groups>1 "
                            "time>1ms."_s);
    else if (m_finder.hits().empty() && !m_finder.problem())
        overlay()->setEmpty(u"Nothing found"_s, m_finder.query());
    else
        overlay()->setReady();
}

void FoundView::light() {
    if (selection().lit() || m_finder.hits().empty()) {
        if (!selection().lit())
            Q_EMIT asked(Say{u"nothing is found that could be lit"_s});
        return selection().setLit(std::nullopt);
    }
    selection().setLit(m_finder.all());
    Q_EMIT asked(Say{
        u"%1 lit, Esc for all"_s.arg(countOf(std::int64_t(m_finder.hits().size()), u"node"_s))});
}

// From now on, whatever is looked for next.
void FoundView::filter(snapshot::KeptFilter::Shows shows) {
    if (m_finder.hits().empty())
        return Q_EMIT asked(Say{u"look for something first (Ctrl+F)"_s});
    selection().addFilter({shows, m_finder.query().trimmed().toStdString(), {}, 0});
}

} // namespace fw::ui
