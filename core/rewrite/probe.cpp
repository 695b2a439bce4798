#include "rewrite/probe.h"

#include "rewrite/apply.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

namespace fw {

namespace {

constexpr std::size_t mostRoots = 256; // behind the node, at which a match may end

class Probe {
public:
    Probe(const Graph& graph, const DeclarationTree& declaration, const PatternTable& table,
          NodeId node, const RuleMatchOptions& options)
        : m_graph(graph), m_table(table), m_matcher(graph, table), m_node(node), m_options(options),
          m_rule(ruleOf(declaration)), m_written(writtenPatterns(declaration)) {}

    std::vector<ProbedClause> rows() {
        std::vector<std::string> others;
        for (const PatternStep& step : stepsOf(m_written, m_table))
            if (!addStep(step))
                others.push_back(patternText(lastOf(step.upTo)));
        if (m_out.empty() && !others.empty())
            m_out.push_back({ProbedClause::Of::Step,
                             Truth::No,
                             {},
                             "no step takes it",
                             fmt::format("{}", fmt::join(others, ", ")),
                             m_matcher.describe({m_node, 0})});
        else
            addMatch();
        return std::move(m_out);
    }

private:
    static const PatternTree& lastOf(const PatternTree& upTo) {
        return upTo.kind == PatternKind::Sequence ? lastOf(upTo.args.back()) : upTo;
    }
    static PatternTree& lastOf(PatternTree& upTo) {
        return upTo.kind == PatternKind::Sequence ? lastOf(upTo.args.back()) : upTo;
    }

    // Of the node as the end of a pattern; nullopt: it fits.
    std::optional<NearMiss> missOf(const PatternTree& pattern) {
        const PreparedPatterns prepared(pattern, m_table);
        std::optional<NearMiss> out;
        for (std::size_t i = 0; i < m_graph.node(m_node).outputs.size(); ++i) {
            const ValueRef root{m_node, static_cast<int>(i)};
            const auto found = m_matcher.matchAt(prepared, root);
            if (!found)
                return NearMiss{m_node, 0, 0, found.diag().message, {}, {}};
            if (*found)
                return std::nullopt;
            if (!out || m_matcher.nearMiss().matched > out->matched)
                out = m_matcher.nearMiss();
        }
        return out;
    }

    // False: the step takes another operator.
    bool addStep(const PatternStep& step) {
        const auto miss = missOf(step.upTo);
        if (miss && miss->matched == 0 && miss->why == Missed::Operator)
            return false;
        const PatternTree& call = lastOf(step.upTo);
        m_out.push_back({ProbedClause::Of::Step, miss ? Truth::No : Truth::Yes, step.span,
                         patternText(call), miss ? miss->expected : std::string(),
                         miss ? miss->found : std::string()});
        if (call.kind == PatternKind::Call && !m_table.contains(call.name))
            addClauses(step.upTo, call);
        return true;
    }

    // Each alone: what the others want does not hide it.
    void addClauses(const PatternTree& upTo, const PatternTree& call) {
        PatternTree bare = upTo;
        PatternTree& last = lastOf(bare);
        last.attrs.clear();
        last.constraints.clear();
        for (PatternTree& arg : last.args)
            if (arg.kind != PatternKind::Rest) {
                arg = {};
                arg.kind = PatternKind::Any;
            }
        const auto add = [&](const PatternTree& alone, const Span& span, std::string text) {
            const auto miss = missOf(alone);
            m_out.push_back({ProbedClause::Of::Clause, miss ? Truth::No : Truth::Yes, span,
                             std::move(text), miss ? miss->expected : std::string(),
                             miss ? miss->found : std::string()});
        };
        for (std::size_t i = 0; i < call.args.size(); ++i) {
            const PatternTree& arg = call.args[i];
            const bool free = (arg.kind == PatternKind::Any || arg.kind == PatternKind::Rest ||
                               (arg.kind == PatternKind::Capture && !m_table.contains(arg.name))) &&
                              arg.constraints.empty();
            if (free || (arg.kind == PatternKind::Previous && upTo.kind != PatternKind::Sequence))
                continue;
            PatternTree alone = bare;
            lastOf(alone).args[i] = arg;
            // "^" is the step before, of which there may be none.
            const bool previous = arg.kind == PatternKind::Previous;
            if (previous && upTo.args.size() < 2)
                continue;
            const PatternTree& said = previous ? upTo.args[upTo.args.size() - 2] : arg;
            add(alone, said.span, patternText(said));
        }
        for (const PatternAttrTree& attr : call.attrs) {
            PatternTree alone = bare;
            lastOf(alone).attrs = {attr};
            add(alone, attr.span, attr.text);
        }
        for (const PatternConstraint& limit : call.constraints) {
            PatternTree alone = bare;
            lastOf(alone).constraints = {limit};
            add(alone, limit.span, limit.text);
        }
    }

    // The node and what is computed from it, the nearest first.
    std::vector<NodeId> possibleEnds(std::size_t operators) const {
        std::vector<NodeId> out;
        std::set<NodeId> seen{m_node};
        std::deque<std::pair<NodeId, std::size_t>> next{{m_node, 0}};
        while (!next.empty() && out.size() < mostRoots) {
            const auto [id, steps] = next.front();
            next.pop_front();
            out.push_back(id);
            if (steps >= operators)
                continue;
            const Node& node = m_graph.node(id);
            for (std::size_t i = 0; i < node.outputs.size(); ++i)
                for (const Use& use : m_graph.uses({id, static_cast<int>(i)}))
                    if (seen.insert(use.node).second)
                        next.emplace_back(use.node, steps + 1);
        }
        return out;
    }

    void addMatch() {
        const PreparedPatterns patterns(m_written, m_table);
        std::optional<NearMiss> nearest;
        for (const NodeId end : possibleEnds(patterns.operators()))
            for (std::size_t i = 0; i < m_graph.node(end).outputs.size(); ++i) {
                std::optional<Match> around;
                const auto found = m_matcher.matchAt(
                    patterns, {end, static_cast<int>(i)}, [&](const Match& match) {
                        const auto& nodes = match.nodes;
                        if (std::find(nodes.begin(), nodes.end(), m_node) == nodes.end())
                            return false;
                        const bool holds =
                            !m_rule || !failedCondition(*m_rule, m_graph, match, m_options);
                        if (!around || holds)
                            around = match;
                        return holds;
                    });
                if (around)
                    return addFound(*around);
                if (found && !*found && m_matcher.nearMiss().matched > 0 &&
                    (!nearest || m_matcher.nearMiss().matched > nearest->matched))
                    nearest = m_matcher.nearMiss();
            }
        if (nearest)
            m_out.push_back({ProbedClause::Of::Match, Truth::No, nearest->span,
                             fmt::format("a match at {}: {}", m_graph.node(nearest->root).name,
                                         nearest->clause),
                             nearest->expected, nearest->found});
    }

    void addFound(const Match& match) {
        const auto failed =
            m_rule != nullptr ? failedCondition(*m_rule, m_graph, match, m_options) : std::nullopt;
        m_out.push_back(
            {ProbedClause::Of::Match,
             failed ? Truth::No : Truth::Yes,
             {},
             fmt::format("a match at {}", m_graph.node(match.roots.front().node).name),
             failed ? failed->expected : std::string(),
             failed ? failed->sentence : fmt::format("{} operators", match.nodes.size())});
        for (std::size_t i = 0; m_rule != nullptr && i < m_rule->where.size(); ++i) {
            const ConditionResult judged = judgedCondition(*m_rule, i, m_graph, match, m_options);
            m_out.push_back({ProbedClause::Of::Condition,
                             judged.truth,
                             m_rule->where[i].tree.span,
                             m_rule->where[i].text,
                             {},
                             judged.seen});
        }
    }

    const Graph& m_graph;
    const PatternTable& m_table;
    Matcher m_matcher;
    NodeId m_node;
    RuleMatchOptions m_options;
    const RuleTree* m_rule;
    std::vector<NamedPattern> m_written;
    std::vector<ProbedClause> m_out;
};

} // namespace

std::vector<ProbedClause> probeNode(const Graph& graph, const DeclarationTree& declaration,
                                    const PatternTable& table, NodeId node,
                                    const RuleMatchOptions& options) {
    return Probe(graph, declaration, table, node, options).rows();
}

} // namespace fw
