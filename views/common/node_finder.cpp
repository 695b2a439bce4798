#include "views/common/node_finder.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::NodeSet;

void NodeFinder::Searched::set(const Shared<snapshot::GraphDocument>& newGraph,
                               const Shared<snapshot::FuseDocument>& newPlan,
                               const Shared<snapshot::ProfileDocument>& newProfile,
                               const Shared<snapshot::VerifyDocument>& newVerified) {
    if (graph == newGraph && plan == newPlan && profile == newProfile && verified == newVerified)
        return;
    search.reset();
    graph = newGraph;
    plan = newPlan;
    profile = newProfile;
    verified = newVerified;
    if (graph)
        search.emplace(*graph, plan.get(), profile.get(), verified.get());
}

void NodeFinder::prepare() {
    m_imported.set(m_document.imported(), nullptr, nullptr, nullptr);
    m_fused.set(m_document.fused(), m_document.plan(), m_document.profileResult(),
                m_document.verified());
}

std::vector<Hit> NodeFinder::found() {
    std::vector<Hit> out;
    m_problem.reset();
    const auto query = snapshot::parseQuery(m_query.toStdString());
    if (!query) {
        m_problem = query.diag();
        return out;
    }
    if (query->empty())
        return out;
    prepare();
    const bool asksPlan =
        std::any_of(query->begin(), query->end(), [](const auto& term) { return term.asksPlan(); });
    const auto add = [&](Searched& searched, GraphSide side, const NodeSet& but) {
        if (!searched.search)
            return false;
        const auto ids = searched.search->find(*query);
        if (!ids) {
            m_problem = ids.diag();
            return false;
        }
        for (const snapshot::NodeId id : *ids)
            if (!but.contains(id))
                out.push_back({side, id});
        return true;
    };
    const bool inFused = add(m_fused, GraphSide::Fused, {});
    if (asksPlan) {
        if (!m_fused.search)
            m_problem = makeDiag(DiagCode::Usage, "there is no plan yet that could be asked");
        return out;
    }
    NodeSet fused;
    for (const Hit& hit : out)
        fused.insert(hit.node);
    // An attribute may be one of operators that rules replaced.
    if (add(m_imported, GraphSide::Imported, m_selection.provenance().toImported(fused)) || inFused)
        m_problem.reset();
    return out;
}

void NodeFinder::look(const QString& query) {
    if (query == m_query)
        return;
    m_query = query;
    m_hits = found();
    m_at = -1;
    Q_EMIT changed();
}

void NodeFinder::lookAgain() {
    if (m_query.isEmpty())
        return;
    std::vector<Hit> hits = found();
    if (hits != m_hits)
        m_at = -1;
    m_hits = std::move(hits);
    Q_EMIT changed();
}

QString NodeFinder::countText() const {
    if (m_query.trimmed().isEmpty() || m_problem)
        return {};
    if (m_hits.empty())
        return u"nothing found"_s;
    return m_at < 0 ? u"%1 found"_s.arg(m_hits.size())
                    : u"%1 of %2"_s.arg(m_at + 1).arg(m_hits.size());
}

std::vector<snapshot::NodeSearch::Completion> NodeFinder::completions(const QString& typed,
                                                                      qsizetype caret) {
    prepare();
    const Searched& searched = m_fused.search ? m_fused : m_imported;
    if (!searched.search)
        return {};
    return searched.search->complete(typed.toStdString(),
                                     std::size_t(typed.left(caret).toUtf8().size()));
}

Picked NodeFinder::all() const {
    NodeSet imported, fused;
    for (const Hit& hit : m_hits)
        (hit.side == GraphSide::Fused ? fused : imported).insert(hit.node);
    Picked out = m_selection.ofFused(fused);
    out.imported.insert(imported.begin(), imported.end());
    return out;
}

void NodeFinder::go(int hit) {
    if (hit < 0 || std::size_t(hit) >= m_hits.size())
        return;
    m_at = hit;
    const Hit& one = m_hits[std::size_t(hit)];
    m_selection.pick(m_selection.of(one.side, {one.node}));
    m_selection.reveal(one.side, one.node, Selection::Reveal::InTheMiddle);
    Q_EMIT changed();
}

void NodeFinder::step(int by) {
    const int count = int(m_hits.size());
    if (count > 0)
        go(m_at < 0 ? (by > 0 ? 0 : count - 1) : ((m_at + by) % count + count) % count);
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
