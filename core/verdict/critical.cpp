#include "verdict/critical.h"

#include "ir/same_structure.h"
#include "verdict/draw_graph.h"
#include "verdict/overlap.h"

#include <algorithm>

namespace fw {

namespace {

constexpr int mostDraws = 40;   // of one overlap
constexpr int wantedGraphs = 3; // at which both act, of one overlap
// Calls that inference is asked about, of one overlap: at first, and for each graph at which both
// act.
constexpr std::size_t leastWork = 400;
constexpr int mostAttempts = 100; // to find one call that fits

struct Acted {
    GraphPtr graph;
    std::set<NodeId> matched;
};

class Pair {
public:
    Pair(const std::shared_ptr<const RuleTree>& one, const std::shared_ptr<const RuleTree>& other,
         const RuleBook& book, const std::shared_ptr<const OperatorSet>& operators,
         std::uint64_t seed)
        : m_one(one), m_other(other), m_book(book), m_operators(operators),
          m_first(onceAlone(one, book)), m_second(onceAlone(other, book)), m_seed(seed) {
        m_stage = book;
        std::erase_if(m_stage.entries,
                      [&](const auto& entry) { return stageOf(*entry) != one->stage; });
        const auto fold = std::make_shared<BuiltinTree>();
        fold->name = "fold_constants";
        m_stage.entries.push_back(fold);
    }

    std::optional<CriticalPair> find() {
        if (m_one->match.size() != 1 || m_other->match.size() != 1)
            return std::nullopt;
        const PatternTable table = m_book.table();
        const PatternTree own = PreparedPatterns(m_one->match, table).first(),
                          its = PreparedPatterns(m_other->match, table).first();
        std::vector<PatternTree> both = overlaps(own, its);
        for (PatternTree& one : overlaps(its, own))
            both.push_back(std::move(one));
        Literals literals = literalsOf(*m_one, m_one->match);
        const Literals more = literalsOf(*m_other, m_other->match);
        literals.integers.insert(literals.integers.end(), more.integers.begin(),
                                 more.integers.end());
        literals.reals.insert(literals.reals.end(), more.reals.begin(), more.reals.end());
        literals.lists.insert(literals.lists.end(), more.lists.begin(), more.lists.end());
        for (const PatternTree& pattern : both) {
            const std::vector<NamedPattern> named{{m_one->match.front().name, pattern}};
            GraphDrawer drawer(named, literals, m_operators, m_seed, mostAttempts);
            std::size_t allowed = leastWork;
            for (int draw = 0, graphs = 0;
                 draw < mostDraws && graphs < wantedGraphs && drawer.work() < allowed; ++draw)
                if (const std::optional<GraphPtr> graph = drawer.draw()) {
                    const auto first = acted(*graph, m_first);
                    const auto second = first ? acted(*graph, m_second) : first;
                    if (!second || !meet(*first, *second))
                        continue;
                    ++graphs;
                    allowed += leastWork;
                    if (auto pair = parted(*graph, *first, *second))
                        return pair;
                }
        }
        return std::nullopt;
    }

private:
    static RuleBook onceAlone(const std::shared_ptr<const RuleTree>& rule, const RuleBook& book) {
        RuleBook out;
        const auto once = std::make_shared<RuleTree>(*rule);
        once->strategy = "once";
        out.entries = {once};
        out.patterns = book.patterns;
        return out;
    }

    static std::optional<Acted> acted(const GraphPtr& graph, const RuleBook& once) {
        const Result<Rewritten> out = rewriteGraph(graph, once, {});
        if (!out || out->trace.applications.size() != 1)
            return std::nullopt;
        Acted all{out->graph, {}};
        for (const NodePtr& node : out->trace.applications.front().matched)
            all.matched.insert(node->id);
        return all;
    }

    static bool meet(const Acted& a, const Acted& b) {
        return std::any_of(a.matched.begin(), a.matched.end(),
                           [&](NodeId id) { return b.matched.contains(id); });
    }

    // Constants are folded on both sides, so that a weight and its formula are one.
    GraphPtr settled(const GraphPtr& graph) const {
        const Result<Rewritten> out = rewriteGraph(graph, m_stage, {});
        return out && out->trace.stopReason == "fixpoint" ? out->graph : nullptr;
    }

    std::optional<CriticalPair> parted(const GraphPtr& graph, const Acted& first,
                                       const Acted& second) const {
        const GraphPtr left = settled(first.graph), right = settled(second.graph);
        if (!left || !right || structuralDifference(*left, *right).empty())
            return std::nullopt;
        return CriticalPair{graph, left, right};
    }

    const std::shared_ptr<const RuleTree> m_one, m_other;
    const RuleBook& m_book;
    const std::shared_ptr<const OperatorSet> m_operators;
    RuleBook m_stage;
    const RuleBook m_first, m_second;
    const std::uint64_t m_seed;
};

} // namespace

std::optional<CriticalPair> criticalPair(const std::shared_ptr<const RuleTree>& one,
                                         const std::shared_ptr<const RuleTree>& other,
                                         const RuleBook& book,
                                         const std::shared_ptr<const OperatorSet>& operators,
                                         std::uint64_t seed) {
    if (one == other || one->stage != other->stage)
        return std::nullopt;
    return Pair(one, other, book, operators, seed).find();
}

} // namespace fw
