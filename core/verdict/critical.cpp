#include "verdict/critical.h"

#include "ir/same_structure.h"
#include "pattern/roots.h"
#include "rewrite/apply.h"
#include "verdict/draw_graph.h"
#include "verdict/overlap.h"

#include <algorithm>

namespace fw {

namespace {

constexpr int mostOverlapDraws = 80; // of one overlap
constexpr int wantedGraphs = 3;      // at which both act, of one overlap
// Calls that inference is asked about, of one overlap, at first and for each graph at which both
// act: what has many operators rarely fits at once.
constexpr std::size_t leastWork = 200, workOfPair = 20; // of two of its operators
// To settle a graph of a few operators takes some tens; rules that go round take as many as may.
constexpr std::size_t mostApplications = 1000;
constexpr int mostAttempts = 100; // to find one call that fits

struct Acted {
    GraphPtr graph;
    std::set<NodeId> matched;
};

std::size_t callsIn(const PatternTree& p) {
    std::size_t out = p.kind == PatternKind::Call ? 1 : 0;
    for (const PatternTree& part : p.args)
        out += callsIn(part);
    return out;
}

bool meet(const Acted& a, const Acted& b) {
    return std::any_of(a.matched.begin(), a.matched.end(),
                       [&](NodeId id) { return b.matched.contains(id); });
}

} // namespace

struct CriticalPairs::Prepared {
    Prepared(const std::shared_ptr<const RuleTree>& tree, const RuleBook& book,
             const PatternTable& table)
        : patterns(tree->match, table), forms(overlapForms(patterns.first())),
          literals(literalsOf(*tree, tree->match)) {
        const auto alone = std::make_shared<RuleTree>(*tree);
        alone->strategy = "once";
        once.entries = {alone};
        once.patterns = book.patterns;
        rule = alone;
    }

    bool matches(const Graph& graph, const PatternTable& table) const {
        MatchOptions quiet;
        quiet.nearMisses = false;
        Matcher matcher(graph, table, quiet);
        for (const NodePtr& node : graph.nodes())
            for (const ValueRef value : patterns.possible().at(*node))
                if (const auto found = matchRule(matcher, *rule, patterns, graph, value);
                    found && found->match)
                    return true;
        return false;
    }

    std::optional<Acted> acted(const GraphPtr& graph) const {
        const Result<Rewritten> out = rewriteGraph(graph, once, {});
        if (!out || out->trace.applications.size() != 1)
            return std::nullopt;
        Acted all{out->graph, {}};
        for (const NodePtr& node : out->trace.applications.front().matched)
            all.matched.insert(node->id);
        return all;
    }

    PreparedPatterns patterns;
    OverlapForms forms;
    Literals literals;
    RuleBook once;
    std::shared_ptr<const RuleTree> rule; // the one in it
};

CriticalPairs::CriticalPairs(const RuleBook& book, std::shared_ptr<const OperatorSet> operators,
                             std::uint64_t seed)
    : m_book(book), m_table(book.table()), m_operators(std::move(operators)), m_seed(seed) {}

CriticalPairs::~CriticalPairs() = default;

const CriticalPairs::Prepared&
CriticalPairs::prepared(const std::shared_ptr<const RuleTree>& rule) {
    std::shared_ptr<const Prepared>& known = m_rules[rule.get()];
    if (!known)
        known = std::make_shared<const Prepared>(rule, m_book, m_table);
    return *known;
}

std::vector<PatternTree> CriticalPairs::laid(const std::shared_ptr<const RuleTree>& one,
                                             const std::shared_ptr<const RuleTree>& other) {
    if (one == other || one->stage != other->stage || one->match.size() != 1 ||
        other->match.size() != 1)
        return {};
    const OverlapForms &own = prepared(one).forms, &its = prepared(other).forms;
    std::vector<PatternTree> both = overlaps(own, its);
    for (PatternTree& more : overlaps(its, own))
        both.push_back(std::move(more));
    return both;
}

bool CriticalPairs::overlap(const std::shared_ptr<const RuleTree>& one,
                            const std::shared_ptr<const RuleTree>& other) {
    return !laid(one, other).empty();
}

std::optional<CriticalPair> CriticalPairs::of(const std::shared_ptr<const RuleTree>& one,
                                              const std::shared_ptr<const RuleTree>& other,
                                              const CancelToken& cancel) {
    const std::vector<PatternTree> both = laid(one, other);
    if (both.empty())
        return std::nullopt;
    const Prepared &own = prepared(one), &its = prepared(other);
    Literals literals = own.literals;
    const auto append = [](auto& to, const auto& more) {
        to.insert(to.end(), more.begin(), more.end());
    };
    append(literals.extents, its.literals.extents);
    append(literals.integers, its.literals.integers);
    append(literals.types, its.literals.types);
    append(literals.reals, its.literals.reals);
    append(literals.lists, its.literals.lists);
    const auto [stage, isNew] = m_stages.try_emplace(one->stage);
    if (isNew) {
        stage->second = m_book;
        std::erase_if(stage->second.entries,
                      [&](const auto& entry) { return stageOf(*entry) != one->stage; });
        const auto fold = std::make_shared<BuiltinTree>();
        fold->name = "fold_constants";
        stage->second.entries.push_back(fold);
    }
    RewriteOptions options;
    options.cancel = cancel;
    options.applications = mostApplications;
    // Constants are folded on both sides, so that a weight and its formula are one.
    const auto settled = [&](const GraphPtr& graph) {
        const Result<Rewritten> out = rewriteGraph(graph, stage->second, options);
        return out && out->trace.stopReason == "fixpoint" ? out->graph : nullptr;
    };
    for (const PatternTree& pattern : both) {
        const std::vector<NamedPattern> named{{one->match.front().name, pattern}};
        GraphDrawer drawer(named, literals, m_operators, m_seed, mostAttempts);
        const std::size_t calls = callsIn(pattern);
        const std::size_t work = std::max(leastWork, workOfPair * calls * calls);
        std::size_t allowed = work;
        for (int draw = 0, graphs = 0; draw < mostOverlapDraws && graphs < wantedGraphs &&
                                       drawer.work() < allowed && !cancel.cancelled();
             ++draw) {
            const std::optional<GraphPtr> graph = drawer.draw();
            // To look is far cheaper than to act.
            if (!graph || !own.matches(**graph, m_table) || !its.matches(**graph, m_table))
                continue;
            const auto first = own.acted(*graph), second = first ? its.acted(*graph) : first;
            if (!second || !meet(*first, *second))
                continue;
            ++graphs;
            allowed += work;
            const GraphPtr left = settled(first->graph), right = settled(second->graph);
            if (left && right && !structuralDifference(*left, *right).empty())
                return CriticalPair{*graph, left, right};
        }
    }
    return std::nullopt;
}

} // namespace fw
