#include "verdict/hidden.h"

#include "rewrite/apply.h"
#include "verdict/draw_graph.h"

#include <algorithm>

namespace fw {

namespace {

constexpr int wantedDrawn = 40, fewestGraphs = 12, mostDrawn = 2500;

// Whether a pattern asks for more than operators, values and constants. Draws may hold to it by
// chance, as all groups of small convolutions are 1.
bool asksMore(const PatternTree& p) {
    return std::any_of(p.attrs.begin(), p.attrs.end(),
                       [](const PatternAttrTree& attr) {
                           return attr.kind == PatternAttrTree::Kind::Equal ||
                                  attr.kind == PatternAttrTree::Kind::Among ||
                                  attr.kind == PatternAttrTree::Kind::Range;
                       }) ||
           !p.where.empty() ||
           std::any_of(p.constraints.begin(), p.constraints.end(),
                       [](const PatternConstraint& one) {
                           return one.kind != PatternConstraint::Kind::Const;
                       }) ||
           std::any_of(p.args.begin(), p.args.end(), asksMore);
}

// Conditions count that the later one does not have in the same words.
bool asksMore(const RuleTree& earlier, const RuleTree& later, const PatternTable& table) {
    const PreparedPatterns patterns(earlier.match, table);
    return std::any_of(patterns.all().begin(), patterns.all().end(),
                       [](const NamedPattern& named) { return asksMore(named.pattern); }) ||
           std::any_of(earlier.where.begin(), earlier.where.end(), [&](const auto& condition) {
               return std::none_of(later.where.begin(), later.where.end(),
                                   [&](const auto& own) { return own.text == condition.text; });
           });
}

// At each graph that fits: who took a part of its match first; nothing if it acts there.
using TakerAt = std::function<std::optional<std::string>(const GraphPtr&)>;

std::optional<HiddenBy> triedOn(const RuleTree& rule, const PatternTable& table,
                                const std::shared_ptr<const OperatorSet>& operators,
                                std::uint64_t seed, const RuleTrial* tried,
                                const std::function<bool(const GraphPtr&)>& fits,
                                const TakerAt& takerAt) {
    const PreparedPatterns patterns(rule.match, table);
    const Literals literals = literalsOf(rule, patterns.all());
    GraphDrawer drawer(patterns.all(), literals, operators, seed);
    drawer.leaveWhatCannotMatch();
    std::size_t known = 0; // graphs of the trial that were taken
    const auto next = [&](int& draw) -> std::optional<GraphPtr> {
        if (tried == nullptr || known > tried->acted.size())
            return drawer.draw();
        if (known < tried->acted.size())
            return tried->acted[known++];
        ++known;
        drawer.skip(static_cast<std::uint64_t>(tried->draws));
        draw = tried->draws - 1;
        return std::nullopt;
    };
    std::map<std::string, int> takers;
    HiddenBy out;
    for (int draw = 0; draw < mostDrawn && out.graphs < wantedDrawn; ++draw) {
        const std::optional<GraphPtr> graph = next(draw);
        if (!graph || !fits(*graph))
            continue;
        const std::optional<std::string> taker = takerAt(*graph);
        if (!taker)
            return std::nullopt;
        ++out.graphs;
        if (const int often = ++takers[*taker]; often > takers[out.name] || out.name.empty())
            out.name = *taker;
    }
    return out.graphs < fewestGraphs ? std::nullopt : std::optional(std::move(out));
}

bool touches(const Application& one, const std::set<NodeId>& nodes) {
    return std::any_of(one.step.edits.begin(), one.step.edits.end(), [&](const auto& edit) {
        return edit.before && nodes.contains(edit.before->id);
    });
}

// Matches of more than one operator, none of which is claimed, from the end of the graph on.
std::vector<std::vector<NodeId>> claimsOf(const RuleTree& rule, const PatternTable& table,
                                          const Graph& graph, const std::set<NodeId>& claimed) {
    const PreparedPatterns patterns(rule.match, table);
    Matcher matcher(graph, table);
    const auto isFree = [&](const Match& match) {
        return match.nodes.size() > 1 &&
               std::none_of(match.nodes.begin(), match.nodes.end(),
                            [&](NodeId id) { return claimed.contains(id); });
    };
    std::vector<std::vector<NodeId>> out;
    for (auto at = graph.nodes().rbegin(); at != graph.nodes().rend(); ++at)
        if (!(*at)->isLeaf() && !claimed.contains((*at)->id))
            if (const auto found =
                    matchRule(matcher, rule, patterns, graph, {(*at)->id, 0}, {.accept = isFree});
                found && found->match)
                out.push_back(found->match->nodes);
    return out;
}

} // namespace

std::optional<HiddenBy> hiddenBy(const std::shared_ptr<const RuleTree>& rule, const RuleBook& book,
                                 const std::shared_ptr<const OperatorSet>& operators,
                                 std::uint64_t seed, const RuleTrial* tried) {
    RuleBook alone = book, inOrder = book;
    alone.entries = {rule};
    const auto own = std::find(book.entries.begin(), book.entries.end(), rule);
    inOrder.entries.assign(book.entries.begin(), own);
    if (inOrder.entries.empty())
        return std::nullopt;
    inOrder.entries.push_back(rule);
    std::set<NodeId> matched; // of the rule alone, at the last graph that fits
    const auto fits = [&](const GraphPtr& graph) {
        const Result<Rewritten> acts = rewriteGraph(graph, alone, {});
        if (!acts || acts->trace.applications.empty())
            return false;
        matched.clear();
        for (const NodePtr& node : acts->trace.applications.front().matched)
            matched.insert(node->id);
        return true;
    };
    return triedOn(*rule, book.table(), operators, seed, tried, fits,
                   [&](const GraphPtr& graph) -> std::optional<std::string> {
                       const Result<Rewritten> all = rewriteGraph(graph, inOrder, {});
                       if (!all || all->trace.applied.back().count > 0)
                           return std::nullopt;
                       for (const Application& one : all->trace.applications) {
                           const auto by = inOrder.ruleAt(one.entry);
                           if (touches(one, matched))
                               return by != nullptr && !asksMore(*by, *rule, book.table())
                                          ? std::optional(by->name)
                                          : std::nullopt;
                       }
                       return std::nullopt;
                   });
}

std::optional<HiddenBy> hiddenBy(const RuleTree& rule, const std::vector<const RuleTree*>& earlier,
                                 const PatternTable& table,
                                 const std::shared_ptr<const OperatorSet>& operators,
                                 std::uint64_t seed) {
    std::vector<const RuleTree*> likely = earlier;
    std::erase_if(likely, [&](const RuleTree* one) { return asksMore(*one, rule, table); });
    if (likely.empty())
        return std::nullopt;
    const auto fits = [&](const GraphPtr& graph) {
        return !claimsOf(rule, table, *graph, {}).empty();
    };
    return triedOn(rule, table, operators, seed, nullptr, fits,
                   [&](const GraphPtr& graph) -> std::optional<std::string> {
                       std::set<NodeId> claimed;
                       std::map<NodeId, std::string> by;
                       for (const RuleTree* other : likely)
                           for (const auto& nodes : claimsOf(*other, table, *graph, claimed))
                               for (const NodeId id : nodes)
                                   if (claimed.insert(id).second)
                                       by.emplace(id, other->name);
                       if (!claimsOf(rule, table, *graph, claimed).empty())
                           return std::nullopt;
                       for (const auto& nodes : claimsOf(rule, table, *graph, {}))
                           for (const NodeId id : nodes)
                               if (const auto taker = by.find(id); taker != by.end())
                                   return taker->second;
                       return std::nullopt;
                   });
}

} // namespace fw
