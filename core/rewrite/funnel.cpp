// The funnel of a pattern: every operator in it is the end of a smaller pattern, which is matched
// by itself. So the numbers say where candidates are lost, in the order in which the pattern is
// written.
#include "pattern/roots.h"
#include "rewrite/matches.h"

#include <algorithm>
#include <functional>

namespace fw {

namespace {

constexpr std::size_t mostSteps = 64;

// Puts what stands at one place of a pattern into all that leads up to it.
using LeadUp = std::function<PatternTree(PatternTree)>;

class Steps {
public:
    explicit Steps(const PatternTable& table) : m_table(table) {}

    void add(const PatternTree& p, const LeadUp& lead, bool optional) {
        switch (p.kind) {
        case PatternKind::Call:
        case PatternKind::Associative:
            for (const PatternTree& operand : p.args)
                add(operand, lead, optional);
            return step(p, lead, optional);
        case PatternKind::Dominated:
            add(p.args[0], lead, optional);
            return step(p, lead, optional);
        case PatternKind::Output:
            return add(p.args[0], lead, optional);
        case PatternKind::Capture: // a chain is a step as a whole
            if (refers(p) && m_table.contains(p.name))
                step(p, lead, optional);
            return;
        case PatternKind::Sequence:
            for (std::size_t i = 0; i < p.args.size() && m_steps.size() < mostSteps; ++i)
                add(
                    p.args[i],
                    [&p, i, &lead](PatternTree last) {
                        PatternTree out;
                        out.kind = PatternKind::Sequence;
                        out.args.assign(p.args.begin(),
                                        p.args.begin() + static_cast<std::ptrdiff_t>(i));
                        out.args.push_back(std::move(last));
                        return lead(std::move(out));
                    },
                    optional);
            return;
        case PatternKind::Optional:
            return add(p.args[0], lead, true);
        case PatternKind::Repeat:
            return add(p.args[0], lead, optional || p.low == 0);
        case PatternKind::Alternatives:
            // Each by itself, so that one sees which of them is there.
            for (const PatternTree& option : p.args)
                add(option, lead, true);
            return;
        case PatternKind::Bind:
            return add(p.args[0], lead, optional);
        case PatternKind::Previous:
        case PatternKind::Any:
        case PatternKind::Const:
        case PatternKind::Rest:
        case PatternKind::Not:
            return;
        }
    }

    std::vector<PatternStep> take() { return std::move(m_steps); }

private:
    void step(const PatternTree& p, const LeadUp& lead, bool optional) {
        if (m_steps.size() < mostSteps)
            m_steps.push_back({p.span, optional, lead(p)});
    }

    const PatternTable& m_table;
    std::vector<PatternStep> m_steps;
};

} // namespace

std::vector<PatternStep> stepsOf(const std::vector<NamedPattern>& patterns,
                                 const PatternTable& table) {
    Steps steps(table);
    for (const NamedPattern& named : patterns)
        steps.add(
            named.pattern, [](PatternTree p) { return p; }, false);
    return steps.take();
}

std::vector<FunnelCount> countSteps(const Graph& graph, const std::vector<NamedPattern>& patterns,
                                    const PatternTable& table, Matcher& matcher,
                                    const MatchLimits& limits) {
    std::vector<FunnelCount> out;
    std::vector<PreparedPatterns> steps;
    for (const PatternStep& step : stepsOf(patterns, table)) {
        steps.emplace_back(step.upTo, table);
        out.push_back({step.span, false, step.optional, 0});
    }
    // All of them at a node while it is at hand.
    for (const NodePtr& node : graph.nodes()) {
        if (node->isLeaf())
            continue;
        if (limits.cancel.cancelled() || std::chrono::steady_clock::now() > limits.until)
            return {};
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const std::vector<ValueRef> roots = steps[i].possible().at(*node);
            out[i].count +=
                std::any_of(roots.begin(), roots.end(),
                            [&](ValueRef root) { return matcher.matchesAt(steps[i], root); })
                    ? 1
                    : 0;
        }
    }
    return out;
}

} // namespace fw
