#include "rewrite/required.h"

#include "pattern/roots.h"
#include "rewrite/apply.h"
#include "rewrite/declaration_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

bool hasCall(const PatternTree& p) {
    return p.kind == PatternKind::Call || std::any_of(p.args.begin(), p.args.end(), hasCall);
}

// False: a match may begin with something else than an operator.
bool addBeginnings(const PatternTree& p, std::vector<PatternTree>& out) {
    const auto each = [&](const auto& wanted) {
        return std::all_of(p.args.begin(), p.args.end(), [&](const PatternTree& part) {
            return !wanted(part) || addBeginnings(part, out);
        });
    };
    switch (p.kind) {
    case PatternKind::Call:
        if (std::any_of(p.args.begin(), p.args.end(), hasCall))
            return each(hasCall);
        out.push_back(p);
        return true;
    case PatternKind::Sequence:
    case PatternKind::Bind:
    case PatternKind::Output:
    case PatternKind::Dominated:
        return addBeginnings(p.args.front(), out);
    case PatternKind::Associative:
        return each(hasCall);
    case PatternKind::Alternatives:
        return each([](const PatternTree&) { return true; });
    case PatternKind::Repeat:
        return p.low > 0 && addBeginnings(p.args.front(), out);
    case PatternKind::Optional:
    case PatternKind::Previous:
    case PatternKind::Any:
    case PatternKind::Const:
    case PatternKind::Capture:
    case PatternKind::Rest:
    case PatternKind::Not:
        break;
    }
    return false;
}

// Where a pattern matches, and what such a match is made of.
class Places {
public:
    Places(const Graph& graph, const PatternTable& table, const CancelToken& cancel)
        : m_graph(graph), m_table(table), m_matcher(graph, table), m_cancel(cancel) {}

    template <class Visit>
    Status each(const PatternTree& pattern, Visit visit) {
        const PreparedPatterns alone(pattern, m_table);
        for (const NodePtr& node : m_graph.nodes()) {
            if (m_cancel.cancelled())
                return makeDiag(DiagCode::Cancelled, "the work was cancelled");
            for (const ValueRef root : alone.possible().at(*node)) {
                FW_TRY(const std::optional<Match> match, m_matcher.matchAt(alone, root));
                if (match)
                    visit(*match);
            }
        }
        return {};
    }

    // Why it does not end here.
    Result<std::optional<std::string>> missAt(const PatternTree& pattern, NodeId at) {
        FW_TRY(const std::optional<Match> match,
               m_matcher.matchAt(PreparedPatterns(pattern, m_table), {at, 0}));
        return match ? std::optional<std::string>() : missText(m_graph, m_matcher.nearMiss());
    }

private:
    const Graph& m_graph;
    const PatternTable& m_table;
    Matcher m_matcher;
    const CancelToken& m_cancel;
};

// How far each node gets that begins the sequence, or one of several.
class Reasons {
public:
    Reasons(const Graph& graph, const PatternTree& sequence, const PatternTable& table,
            Places& places)
        : m_graph(graph), m_steps(stepsOf({{"result", sequence}}, table)), m_places(places) {}

    Status look(const std::set<NodeId>& missing) {
        for (std::size_t i = 0; i < m_steps.size(); ++i)
            FW_CHECK(m_places.each(m_steps[i].upTo, [&](const Match& match) {
                for (const NodeId id : match.nodes)
                    if (missing.contains(id))
                        m_last[id] = {i, match.roots.front()};
            }));
        return {};
    }

    bool begins(NodeId node) const { return m_last.contains(node); }

    Result<std::string> of(NodeId node) {
        const auto& [step, end] = m_last.at(node);
        std::size_t next = step + 1;
        while (next + 1 < m_steps.size() && m_steps[next].need != PatternStep::Need::Must)
            ++next;
        if (next >= m_steps.size())
            return std::string("a value inside is used outside");
        const PatternTree& wanted = m_steps[next].upTo;
        for (const Use& use : m_graph.uses(end)) {
            FW_TRY(const std::optional<std::string> miss, m_places.missAt(wanted, use.node));
            if (miss)
                return *miss;
        }
        const PatternTree& last =
            wanted.kind == PatternKind::Sequence ? wanted.args.back() : wanted;
        return fmt::format("{} does not follow, nothing reads {}", patternText(last),
                           m_graph.node(end.node).name);
    }

private:
    const Graph& m_graph;
    std::vector<PatternStep> m_steps;
    Places& m_places;
    std::map<NodeId, std::pair<std::size_t, ValueRef>> m_last; // the last step, its value
};

} // namespace

std::vector<PatternTree> beginningsOf(const PatternTree& pattern, const PatternTable& table) {
    std::vector<PatternTree> out;
    if (!addBeginnings(withDeclared(pattern, table), out))
        out.clear();
    return out;
}

Diags checkRequired(const SequenceTree& sequence, const OperatorSet& operators,
                    const PatternTable& table, const std::string& file) {
    Refusals out(file);
    checkPatternTree(sequence.pattern, false, operators, table,
                     boundBy({{"", sequence.pattern}}, operators, table), out);
    Diags problems = out.take();
    if (problems.empty() && beginningsOf(sequence.pattern, table).empty())
        problems.push_back(makeDiag(
            DiagCode::RuleIllegal, "what is required begins with an operator that is always there",
            {file, {}, sequence.pattern.span.line, sequence.pattern.span.column},
            "requires conv2d(...) >> clip(^)"));
    return problems;
}

Result<std::vector<MissingSequence>> missingSequences(const Graph& graph,
                                                      const PatternTree& sequence,
                                                      const PatternTable& table,
                                                      const CancelToken& cancel) {
    Places places(graph, table, cancel);
    std::set<NodeId> missing;
    for (const PatternTree& beginning : beginningsOf(sequence, table))
        FW_CHECK(places.each(
            beginning, [&](const Match& match) { missing.insert(match.roots.front().node); }));
    if (missing.empty())
        return std::vector<MissingSequence>();
    std::map<NodeId, std::string> usedOutside;
    const RuleTree unconditional;
    FW_CHECK(places.each(sequence, [&](const Match& match) {
        const auto escaped = failedCondition(unconditional, graph, match);
        for (const NodeId id : match.nodes)
            if (escaped)
                usedOutside.emplace(id, escaped->sentence);
            else
                missing.erase(id);
    }));
    const bool several = sequence.kind == PatternKind::Alternatives;
    std::vector<Reasons> reasons;
    for (const PatternTree& one : several ? sequence.args : std::vector<PatternTree>{sequence}) {
        reasons.emplace_back(graph, one, table, places);
        FW_CHECK(reasons.back().look(missing));
    }
    std::vector<MissingSequence> out;
    for (const NodePtr& node : graph.nodes()) {
        if (!missing.contains(node->id))
            continue;
        const auto escaped = usedOutside.find(node->id);
        std::string why = escaped == usedOutside.end() ? std::string() : escaped->second;
        for (Reasons& one : reasons)
            if (why.empty() && one.begins(node->id)) {
                FW_TRY(why, one.of(node->id));
            }
        out.push_back({node->id, std::move(why)});
    }
    return out;
}

} // namespace fw
