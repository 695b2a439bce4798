// Selection, history, find and walking.
#include "app/window/books_area.h"
#include "app/window/graph_pane.h"
#include "app/window/main_window.h"
#include "app/window/problems_view.h"
#include "views/authoring/match_panel.h"
#include "views/authoring/rules_view.h"
#include "views/common/pane.h"
#include "views/compare/changes_view.h"
#include "views/explain/explain_view.h"
#include "views/implementations/implementations_view.h"
#include "views/inspector/outline_view.h"
#include "views/inspector/properties_view.h"
#include "views/profile/profile_view.h"
#include "views/stages/stages_view.h"

#include <QDockWidget>
#include <QInputDialog>
#include <QLineEdit>
#include <QTreeView>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::NodeId;
using snapshot::NodeSet;

namespace {

constexpr std::size_t historyLimit = 200;

const snapshot::NodeRecord* nodeOf(const snapshot::GraphDocument* graph, NodeId id) {
    if (graph) {
        for (const auto& node : graph->nodes) {
            if (node.id == id)
                return &node;
        }
    }
    return nullptr;
}

// Only what a canvas shows: constants are folded into their consumers.
Ids shown(const snapshot::GraphDocument* graph, const NodeSet& ids) {
    Ids out;
    for (const NodeId id : ids) {
        const auto* node = nodeOf(graph, id);
        if (node && !node->constant)
            out.push_back(id);
    }
    return out;
}

} // namespace

Picked MainWindow::fromImported(NodeSet ids) const {
    Picked out;
    out.fused = m_provenance.toFused(ids);
    out.imported = std::move(ids);
    return out;
}

Picked MainWindow::fromFused(NodeSet ids) const {
    Picked out;
    out.imported = m_provenance.toImported(ids);
    if (!ids.empty()) {
        const int group = m_provenance.groupOf(*ids.begin());
        if (ids.size() > 1 && group >= 0 && m_provenance.membersOf(group) == ids)
            out.group = group;
    }
    out.fused = std::move(ids);
    return out;
}

Picked MainWindow::fromGroup(int group) const {
    Picked out = fromFused(m_provenance.membersOf(group));
    out.group = group;
    return out;
}

// From lists, whose ids are those of the graph in the outline.
void MainWindow::activate(int group, qint64 node) {
    if (node == snapshot::noNode)
        setSelection(fromGroup(group), sender());
    else if (m_document.fused())
        setSelection(fromFused({node}), sender());
    else
        setSelection(fromImported({node}), sender());
}

void MainWindow::select(const Picked& selection) {
    setSelection(selection, nullptr);
}

void MainWindow::setSelection(const Picked& selection, const QObject* origin) {
    if (selection == m_selection)
        return;
    m_selection = selection;
    if (!selection.empty()) {
        m_history.resize(std::min(m_history.size(), m_historyAt + 1));
        m_history.push_back(selection);
        if (m_history.size() > historyLimit)
            m_history.erase(m_history.begin());
        m_historyAt = m_history.size() - 1;
    }
    showSelection(origin);
    showExplain();
    m_details.start();
    m_idleCheck.start();
    updateStatus();
    Q_EMIT selectionChanged();
}

void MainWindow::showSelection(const QObject* origin) {
    const auto imported = m_document.imported();
    const auto fused = m_document.fused();
    const auto mark = [&](GraphPane* pane, const Ids& ids) {
        if (origin == pane->canvas())
            return;
        pane->canvas()->setSelected(ids);
        if (!ids.empty() && pane->canvas()->picture())
            pane->canvas()->reveal(ids.front());
    };
    mark(m_importedPane, shown(imported.get(), m_selection.imported));
    mark(m_fusedPane, shown(fused.get(), m_selection.fused));

    const NodeSet& first = m_selection.fused.empty() ? m_selection.imported : m_selection.fused;
    int group = m_selection.group;
    if (group < 0 && !m_selection.fused.empty())
        group = m_provenance.groupOf(*m_selection.fused.begin());
    if (origin != m_outline)
        m_outline->select(m_selection.group, m_selection.group >= 0 || first.empty()
                                                 ? snapshot::noNode
                                                 : *first.begin());
    if (origin != m_profile)
        m_profile->selectGroup(group);
    if (origin != m_implementations)
        m_implementations->selectGroup(group);
    if (origin != m_stages)
        m_stages->setSelected(m_selection.fused);

    // Properties: of the group, of one node, or of the model. An imported node is shown as such
    // only where it was clicked or where nothing stands for it any more.
    Properties properties;
    std::vector<TensorChoice> tensors;
    QString title;
    const auto plan = m_document.plan();
    if (m_selection.group >= 0 && plan) {
        for (const auto& record : plan->groups) {
            if (record.id == m_selection.group) {
                properties = propertiesOf(record);
                title = QString::fromStdString(record.name);
            }
        }
    }
    if (properties.empty() && !m_selection.empty()) {
        const bool asImported = origin == m_importedPane->canvas() || m_selection.fused.empty();
        const auto* graph = asImported ? imported.get() : fused.get();
        const NodeSet& ids = asImported ? m_selection.imported : m_selection.fused;
        if (const auto* node = ids.empty() ? nullptr : nodeOf(graph, *ids.begin())) {
            properties =
                propertiesOf(*node, graph, asImported ? nullptr : imported.get(), plan.get());
            title = QString::fromStdString(node->name.empty() ? node->op : node->name);
            tensors = tensorsOf(*node, graph);
        }
    }
    if (properties.empty() && m_document.info()) {
        properties = propertiesOf(*m_document.info(), m_document.imported().get());
        title = m_document.fileName();
    }
    m_properties->setProperties(std::move(properties));
    m_properties->values()->setChoices(std::move(tensors));
    m_propertiesTitle->setDetail(title);
}

void MainWindow::translateSelection() {
    if (m_selection.empty())
        return;
    // The group's number means another group now; its nodes stay.
    m_selection = fromImported(m_selection.imported);
    const auto translated = [&](const Picked& old) { return fromImported(old.imported); };
    std::transform(m_history.begin(), m_history.end(), m_history.begin(), translated);
    m_details.start();
}

void MainWindow::askForDetails() {
    if (m_document.fused() && !m_selection.fused.empty()) {
        std::vector<NodeId> ids(m_selection.fused.begin(), m_selection.fused.end());
        if (ids.size() > 2 || m_selection.group >= 0) { // a group answers through its anchor
            NodeId anchor = ids.front();
            if (m_document.plan()) {
                for (const auto& group : m_document.plan()->groups) {
                    if (m_selection.fused.contains(group.anchorId))
                        anchor = group.anchorId;
                }
            }
            ids = {anchor};
        }
        m_document.explain(ids);
    }
    if (m_stagesDock->isVisible() && m_document.plan()) {
        const QString stage = m_stages->stage();
        const bool whole = stage == u"graph"_s || stage == u"rewritten"_s || stage == u"fused"_s;
        int group = m_selection.group;
        if (group < 0 && !m_selection.fused.empty())
            group = m_provenance.groupOf(*m_selection.fused.begin());
        const auto now = m_document.stage();
        const bool same =
            now && m_document.state(Document::Part::Stages) == Document::State::Ready &&
            now->stage == stage.toStdString() && now->group.value_or(-1) == (whole ? -1 : group);
        if (!same && (whole || group >= 0))
            m_document.showStage(stage, whole ? -1 : group);
    }
    m_idleCheck.start();
}

void MainWindow::askForValue(const TensorChoice& choice) {
    m_document.showValue(choice.stage, choice.node, choice.output);
}

void MainWindow::goHistory(int step) {
    if (m_history.empty())
        return;
    const auto at = std::int64_t(m_historyAt) + step;
    if (at < 0 || at >= std::int64_t(m_history.size()))
        return;
    m_historyAt = std::size_t(at);
    m_selection = m_history[m_historyAt];
    showSelection(nullptr);
    showExplain();
    m_details.start();
    updateStatus();
    Q_EMIT selectionChanged();
}

void MainWindow::findNext(int step) {
    const QString wanted = m_find->text().trimmed();
    if (wanted.isEmpty()) {
        m_find->setFocus(Qt::ShortcutFocusReason);
        return;
    }
    const auto hits =
        findNodes(wanted, m_document.imported().get(), m_document.fused().get(), m_provenance);
    if (wanted != m_findText || hits != m_hits)
        m_hitAt = step > 0 ? -1 : int(hits.size());
    m_findText = wanted;
    m_hits = hits;
    if (m_hits.empty()) {
        say(u"nothing found"_s);
        return;
    }
    const int count = int(m_hits.size());
    m_hitAt = ((m_hitAt + step) % count + count) % count;
    const Hit& hit = m_hits[size_t(m_hitAt)];
    setSelection(hit.side == GraphSide::Fused ? fromFused({hit.node}) : fromImported({hit.node}),
                 nullptr);
    pane(hit.side)->canvas()->centerOn(hit.node);
    say(u"%1 of %2"_s.arg(m_hitAt + 1).arg(count));
}

bool MainWindow::selectByName(const QString& text) {
    // A node by its name, else by that of a value it makes.
    const auto named = [&](const snapshot::GraphDocument* graph) {
        NodeSet nodes, makers;
        const std::string name = text.toStdString();
        if (graph) {
            for (const auto& node : graph->nodes) {
                if (node.name == name)
                    nodes.insert(node.id);
                for (const auto& output : node.outputs)
                    if (output.name == name)
                        makers.insert(node.id);
            }
        }
        return nodes.empty() ? makers : nodes;
    };
    if (m_document.plan()) {
        for (const auto& group : m_document.plan()->groups) {
            if (QString::fromStdString(group.name) == text) {
                setSelection(fromGroup(group.id), nullptr);
                return true;
            }
        }
    }
    if (const NodeSet ids = named(m_document.fused().get()); !ids.empty()) {
        setSelection(fromFused(ids), nullptr);
        return true;
    }
    if (const NodeSet ids = named(m_document.imported().get()); !ids.empty()) {
        setSelection(fromImported(ids), nullptr);
        return true;
    }
    return false;
}

bool MainWindow::selectByNames(const QStringList& names) {
    NodeSet all;
    for (const QString& name : names) {
        if (!selectByName(name))
            return false;
        all.insert(m_selection.fused.begin(), m_selection.fused.end());
    }
    if (names.size() > 1)
        setSelection(fromFused(all), nullptr);
    return true;
}

// In the graph's own order, so every operator is reached.
void MainWindow::walk(int step) {
    const bool imported = currentPane() == m_importedPane;
    const auto graph = imported ? m_document.imported() : m_document.fused();
    if (!graph)
        return;
    std::vector<NodeId> order;
    for (const auto& node : graph->nodes) {
        if (!node.constant)
            order.push_back(node.id);
    }
    const NodeSet& now = imported ? m_selection.imported : m_selection.fused;
    auto at = std::find_if(order.begin(), order.end(), [&](NodeId id) { return now.contains(id); });
    std::ptrdiff_t next = at == order.end() ? (step > 0 ? 0 : std::ptrdiff_t(order.size()) - 1)
                                            : at - order.begin() + step;
    next = std::clamp<std::ptrdiff_t>(next, 0, std::ptrdiff_t(order.size()) - 1);
    if (!order.empty())
        setSelection(imported ? fromImported({order[size_t(next)]})
                              : fromFused({order[size_t(next)]}),
                     nullptr);
}

void MainWindow::walkGroups(int step) {
    const auto plan = m_document.plan();
    if (!plan || plan->groups.empty())
        return;
    int now = m_selection.group;
    if (now < 0 && !m_selection.fused.empty())
        now = m_provenance.groupOf(*m_selection.fused.begin());
    std::ptrdiff_t at = step > 0 ? -1 : std::ptrdiff_t(plan->groups.size());
    for (std::size_t i = 0; i < plan->groups.size(); ++i) {
        if (plan->groups[i].id == now)
            at = std::ptrdiff_t(i);
    }
    at = std::clamp<std::ptrdiff_t>(at + step, 0, std::ptrdiff_t(plan->groups.size()) - 1);
    setSelection(fromGroup(plan->groups[size_t(at)].id), nullptr);
}

void MainWindow::goTo() {
    bool ok = false;
    const QString name = QInputDialog::getText(this, u"Go to"_s, u"Node or group, or #id:"_s,
                                               QLineEdit::Normal, {}, &ok);
    if (!ok || name.trimmed().isEmpty() || selectByName(name.trimmed()))
        return;
    m_find->setText(name);
    findNext(+1);
}

void MainWindow::cyclePanes(int step) {
    std::vector<QWidget*> stops = {m_importedPane->canvas(),
                                   m_fusedPane->canvas(),
                                   m_outline,
                                   m_explain,
                                   m_implementations,
                                   m_properties,
                                   m_rules,
                                   m_profile,
                                   m_changes,
                                   m_stages,
                                   m_problems};
    if (BookPage* book = m_books->current()) {
        stops.insert(stops.begin(), book->editor());
        stops.push_back(m_matches->table());
    }
    // What is hidden, or behind another tab, takes no keys.
    std::erase_if(stops, [this](const QWidget* stop) {
        const QWidget* there = childAt(stop->mapTo(this, stop->rect().center()));
        return !there || !(there == stop || stop->isAncestorOf(there));
    });
    if (stops.empty())
        return;
    std::ptrdiff_t at = -1;
    for (std::size_t i = 0; i < stops.size(); ++i) {
        if (focusWidget() && (stops[i] == focusWidget() || stops[i]->isAncestorOf(focusWidget())))
            at = std::ptrdiff_t(i);
    }
    const auto count = std::ptrdiff_t(stops.size());
    QWidget* next = stops[size_t(((at + step) % count + count) % count)];
    QWidget* target = next;
    if (!next->focusPolicy())
        target = next->nextInFocusChain();
    target->setFocus(Qt::TabFocusReason);
}

GraphPane* MainWindow::currentPane() const {
    return m_importedPane->isAncestorOf(focusWidget()) ? m_importedPane : m_fusedPane;
}

} // namespace fw::ui
