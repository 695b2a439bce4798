#include "app/window/node_finder.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::NodeSet;

QString NodeFinder::find(const QString& wanted, int step) {
    const auto hits = findNodes(wanted, m_document.imported().get(), m_document.fused().get(),
                                m_selection.provenance());
    if (wanted != m_text || hits != m_hits)
        m_at = step > 0 ? -1 : int(hits.size());
    m_text = wanted;
    m_hits = hits;
    if (m_hits.empty())
        return u"nothing found"_s;
    const int count = int(m_hits.size());
    m_at = ((m_at + step) % count + count) % count;
    const Hit& hit = m_hits[size_t(m_at)];
    m_selection.pick(m_selection.of(hit.side, {hit.node}));
    m_selection.reveal(hit.side, hit.node, Selection::Reveal::InTheMiddle);
    return u"%1 of %2"_s.arg(m_at + 1).arg(count);
}

bool NodeFinder::select(const QString& text) {
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
                m_selection.pick(m_selection.ofGroup(group.id));
                return true;
            }
        }
    }
    if (const NodeSet ids = named(m_document.fused().get()); !ids.empty()) {
        m_selection.pick(m_selection.ofFused(ids));
        return true;
    }
    if (const NodeSet ids = named(m_document.imported().get()); !ids.empty()) {
        m_selection.pick(m_selection.ofImported(ids));
        return true;
    }
    return false;
}

bool NodeFinder::select(const QStringList& names) {
    NodeSet all;
    for (const QString& name : names) {
        if (!select(name))
            return false;
        all.insert(m_selection.picked().fused.begin(), m_selection.picked().fused.end());
    }
    if (names.size() > 1)
        m_selection.pick(m_selection.ofFused(all));
    return true;
}

void NodeFinder::walkGroups(int step) {
    const auto plan = m_document.plan();
    if (!plan || plan->groups.empty())
        return;
    const int now = m_selection.group();
    std::ptrdiff_t at = step > 0 ? -1 : std::ptrdiff_t(plan->groups.size());
    for (std::size_t i = 0; i < plan->groups.size(); ++i) {
        if (plan->groups[i].id == now)
            at = std::ptrdiff_t(i);
    }
    at = std::clamp<std::ptrdiff_t>(at + step, 0, std::ptrdiff_t(plan->groups.size()) - 1);
    m_selection.pick(m_selection.ofGroup(plan->groups[size_t(at)].id));
}

} // namespace fw::ui
