#include "views/graph/pane_filters.h"

#include "snapshot/filters.h"
#include "views/common/numbers.h"
#include "views/common/text.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::KeptFilter;
using snapshot::NodeSet;
using Shows = snapshot::KeptFilter::Shows;

namespace {

// In both graphs, which call them alike or not.
std::vector<std::string> namesOf(const DocumentParts& document, const Picked& picked) {
    std::set<std::string> out;
    const auto add = [&](const snapshot::GraphDocument* graph, const NodeSet& nodes) {
        for (const snapshot::NodeId id : nodes)
            if (const auto* node = nodeOf(graph, id); node != nullptr && !node->constant)
                if (const std::string name = snapshot::filterName(*node); !name.empty())
                    out.insert(name);
    };
    add(document.imported().get(), picked.imported);
    add(document.fused().get(), picked.fused);
    return {out.begin(), out.end()};
}

QString textOf(const KeptFilter& filter, std::size_t count) {
    const QString these = !filter.query.empty() ? ui::text(filter.query)
                          : filter.nodes.size() == 1 || count <= 1
                              ? ui::text(filter.nodes.front())
                              : countOf(std::int64_t(count), u"operator"_s);
    switch (filter.shows) {
    case Shows::Others:
        return u"without %1"_s.arg(these);
    case Shows::These:
        return u"only %1"_s.arg(these);
    case Shows::Around:
        return u"%1 around %2"_s.arg(countOf(filter.steps, u"step"_s), these);
    }
    return {};
}

} // namespace

bool PaneFilters::Known::isOf(const Known& other) const {
    return graph == other.graph && filters == other.filters && plan == other.plan &&
           times == other.times && verified == other.verified;
}

void PaneFilters::add(Shows shows) {
    const Picked& picked = m_panes.selection().picked();
    KeptFilter filter{shows, {}, namesOf(m_panes.document(), picked), 0};
    if (filter.nodes.empty())
        return Q_EMIT m_panes.view().asked(Say{u"select what is to be %1 first"_s.arg(
            shows == Shows::Others ? u"hidden"_s : u"shown alone"_s)});
    if (filter.nodes.size() > snapshot::mostFiltered)
        return Q_EMIT m_panes.view().asked(
            Say{u"a filter names up to %1 operators: look for them, and filter what is found"_s.arg(
                snapshot::mostFiltered)});
    m_panes.selection().addFilter(std::move(filter));
}

void PaneFilters::around(int by) {
    auto filters = m_panes.selection().filters();
    if (!filters.empty() && filters.back().shows == Shows::Around) {
        filters.back().steps =
            std::clamp<std::int64_t>(filters.back().steps + by, 0, snapshot::mostSteps);
        return m_panes.selection().setFilters(std::move(filters));
    }
    KeptFilter filter{
        Shows::Around, {}, namesOf(m_panes.document(), m_panes.selection().picked()), 1};
    if (filter.nodes.empty())
        return Q_EMIT m_panes.view().asked(Say{u"select the middle of a neighbourhood first"_s});
    m_panes.selection().addFilter(std::move(filter));
}

void PaneFilters::takeOut(std::size_t filter) {
    auto filters = m_panes.selection().filters();
    if (filter >= filters.size())
        return;
    filters.erase(filters.begin() + std::ptrdiff_t(filter));
    m_panes.selection().setFilters(std::move(filters));
}

bool PaneFilters::takeOutAround() {
    const auto& filters = m_panes.selection().filters();
    if (filters.empty() || filters.back().shows != Shows::Around)
        return false;
    takeOut(filters.size() - 1);
    return true;
}

void PaneFilters::takeOutWhatHides(std::size_t at, std::int64_t mark) {
    const Known& known = know(at);
    if (!known.shown)
        return;
    for (std::size_t i = known.hidden.size(); i-- > 0;)
        for (const snapshot::NodeId node : known.hidden[i])
            if (const auto found = known.shown->markOf.find(node);
                found != known.shown->markOf.end() && found->second == mark)
                return takeOut(i);
}

std::shared_ptr<const snapshot::Shown> PaneFilters::of(std::size_t at) {
    return know(at).shown;
}

bool PaneFilters::hides(std::size_t at, snapshot::NodeId node) {
    const auto shown = of(at);
    return shown && shown->markOf.contains(node);
}

std::vector<PaneFilters::Told> PaneFilters::told() {
    const auto& filters = m_panes.selection().filters();
    std::vector<Told> out;
    for (std::size_t i = 0; i < filters.size(); ++i) {
        std::size_t most = 0;
        QString problem;
        bool acts = false;
        for (std::size_t at = 0; at < m_panes.size(); ++at) {
            const Known& known = know(at);
            if (i >= known.hidden.size())
                continue;
            acts |= !known.hidden[i].empty();
            most = std::max(most, known.hidden[i].size());
            if (problem.isEmpty())
                problem = known.problems[i];
        }
        const bool isOthers = filters[i].shows == Shows::Others;
        out.push_back({textOf(filters[i], isOthers ? most : filters[i].nodes.size()),
                       acts ? QString() : problem});
    }
    return out;
}

Result<NodeSet> PaneFilters::these(std::size_t at, const Known& known,
                                   const KeptFilter& filter) const {
    const auto& fused = m_panes.document().fused();
    const auto query = snapshot::parseQuery(filter.query);
    const bool asksPlan = query && std::any_of(query->begin(), query->end(),
                                               [](const auto& term) { return term.asksPlan(); });
    if (!asksPlan || known.graph == fused)
        return filteredBy(filter, *known.graph,
                          snapshot::NodeSearch(*known.graph,
                                               known.graph == fused ? known.plan.get() : nullptr,
                                               known.times.get(), known.verified.get()));
    if (!fused)
        return makeDiag(DiagCode::Usage, "there is no plan yet that could be asked");
    FW_TRY(const NodeSet found,
           filteredBy(filter, *fused,
                      snapshot::NodeSearch(*fused, known.plan.get(), known.times.get(),
                                           known.verified.get())));
    return m_panes.nodesIn(at, m_panes.selection().ofFused(found));
}

const PaneFilters::Known& PaneFilters::know(std::size_t at) {
    const DocumentParts& document = m_panes.document();
    Known now{m_panes.graphOf(at), m_panes.selection().filters()};
    const bool asks = std::any_of(now.filters.begin(), now.filters.end(),
                                  [](const KeptFilter& one) { return !one.query.empty(); });
    if (asks) { // names need no plan
        now.plan = document.plan();
        now.times = document.profileResult();
        now.verified = document.verified();
    }
    Known& known = m_known[m_panes.pane(at)];
    if (known.isOf(now))
        return known;
    NodeSet all;
    for (const KeptFilter& filter : now.filters) {
        NodeSet hidden;
        QString problem;
        if (!now.graph) {
        } else if (auto found = these(at, now, filter)) {
            hidden = snapshot::hiddenBy(filter, *now.graph, *found);
            problem = found->empty() ? u"there is nothing of it here"_s : QString();
        } else {
            problem = ui::text(found.diag().message);
        }
        all.insert(hidden.begin(), hidden.end());
        now.hidden.push_back(std::move(hidden));
        now.problems.push_back(problem);
    }
    if (!all.empty())
        now.shown = std::make_shared<const snapshot::Shown>(withoutHidden(*now.graph, all));
    return known = std::move(now);
}

} // namespace fw::ui
