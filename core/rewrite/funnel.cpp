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

    using Need = PatternStep::Need;
    // The steps that the place of a pattern may be; none: anything.
    using Ends = std::vector<std::size_t>;

    // `before`: those that `^` may be.
    Ends add(const PatternTree& p, const LeadUp& lead, Need need, const Ends& before) {
        switch (p.kind) {
        case PatternKind::Call:
        case PatternKind::Associative: {
            std::vector<Ends> reads;
            for (const PatternTree& operand : p.args)
                reads.push_back(add(operand, lead, need, before));
            return step(p, lead, need, std::move(reads));
        }
        case PatternKind::Dominated: {
            std::vector<Ends> reads{add(p.args[0], lead, need, before)};
            return step(p, lead, need, std::move(reads));
        }
        case PatternKind::Output:
            return add(p.args[0], lead, need, before);
        case PatternKind::Capture: // a chain is a step as a whole
            if (refers(p) && m_table.contains(p.name))
                return step(p, lead, need, {before});
            return {};
        case PatternKind::Sequence:
            return sequence(p, lead, need, before);
        case PatternKind::Optional:
            return add(p.args[0], lead, Need::MayBeAbsent, before);
        case PatternKind::Repeat:
            return add(p.args[0], lead, p.low == 0 ? Need::MayBeAbsent : need, before);
        case PatternKind::Alternatives: {
            // Each by itself, so that one sees which of them is there.
            Ends ends;
            for (const PatternTree& option : p.args) {
                const Ends one = add(option, lead, Need::OneOfSeveral, before);
                ends.insert(ends.end(), one.begin(), one.end());
            }
            return ends;
        }
        case PatternKind::Bind:
            return add(p.args[0], lead, need, before);
        case PatternKind::Previous:
            return before;
        case PatternKind::Any:
        case PatternKind::Const:
        case PatternKind::Rest:
        case PatternKind::Not:
            return {};
        }
        return {};
    }

    std::vector<PatternStep> take() { return std::move(m_steps); }

private:
    Ends sequence(const PatternTree& p, const LeadUp& lead, Need need, Ends ends) {
        for (std::size_t i = 0; i < p.args.size() && m_steps.size() < mostSteps; ++i) {
            const LeadUp behind = [&p, i, &lead](PatternTree last) {
                PatternTree out;
                out.kind = PatternKind::Sequence;
                out.args.assign(p.args.begin(), p.args.begin() + static_cast<std::ptrdiff_t>(i));
                out.args.push_back(std::move(last));
                return lead(std::move(out));
            };
            const Ends next = add(p.args[i], behind, need, ends);
            if (mayBeAbsent(p.args[i]))
                ends.insert(ends.end(), next.begin(), next.end());
            else
                ends = next;
        }
        return ends;
    }

    static bool mayBeAbsent(const PatternTree& p) {
        return p.kind == PatternKind::Optional || (p.kind == PatternKind::Repeat && p.low == 0);
    }

    Ends step(const PatternTree& p, const LeadUp& lead, Need need, std::vector<Ends> reads) {
        if (m_steps.size() == mostSteps)
            return {};
        std::erase_if(reads, [](const Ends& operand) { return operand.empty(); });
        m_steps.push_back({p.span, need, lead(p), std::move(reads)});
        return {m_steps.size() - 1};
    }

    const PatternTable& m_table;
    std::vector<PatternStep> m_steps;
};

// How many nodes the step could have gone on from: of each of its operands those that may be it.
std::optional<std::size_t> beforeStep(const PatternStep& step,
                                      const std::vector<FunnelCount>& counts) {
    std::optional<std::size_t> out;
    for (const std::vector<std::size_t>& operand : step.reads) {
        std::size_t most = 0;
        for (const std::size_t other : operand)
            most = std::max(most, counts[other].count);
        out = out ? std::min(*out, most) : most;
    }
    return out;
}

} // namespace

std::vector<PatternStep> stepsOf(const std::vector<NamedPattern>& patterns,
                                 const PatternTable& table) {
    Steps steps(table);
    for (const NamedPattern& named : patterns)
        steps.add(named.pattern, [](PatternTree p) { return p; }, PatternStep::Need::Must, {});
    return steps.take();
}

std::vector<FunnelCount> countSteps(const Graph& graph, const std::vector<NamedPattern>& patterns,
                                    const PatternTable& table, Matcher& matcher,
                                    const MatchLimits& limits) {
    std::vector<FunnelCount> out;
    std::vector<PreparedPatterns> steps;
    const std::vector<PatternStep> written = stepsOf(patterns, table);
    for (const PatternStep& step : written) {
        steps.emplace_back(step.upTo, table);
        out.push_back({step.span, false, step.need, 0, {}});
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
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i].before = beforeStep(written[i], out);
    return out;
}

} // namespace fw
