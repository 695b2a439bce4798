#include "rewrite/matches.h"

#include "pattern/roots.h"
#include "syntax/declarations.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

bool inside(const std::set<NodeId>& part, const std::set<NodeId>& whole) {
    return part.size() < whole.size() &&
           std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

// Each node hands its match to the larger ones that hold it, so that a long model stays cheap.
void dropInner(std::vector<Match>& matches) {
    std::vector<std::set<NodeId>> nodes;
    std::map<NodeId, std::vector<std::size_t>> holders;
    for (std::size_t i = 0; i < matches.size(); ++i) {
        nodes.emplace_back(matches[i].nodes.begin(), matches[i].nodes.end());
        for (const NodeId id : nodes.back())
            holders[id].push_back(i);
    }
    std::vector<Match> kept;
    for (std::size_t i = 0; i < matches.size(); ++i) {
        const std::vector<std::size_t>& others = holders[*nodes[i].begin()];
        if (std::none_of(others.begin(), others.end(),
                         [&](std::size_t other) { return inside(nodes[i], nodes[other]); }))
            kept.push_back(std::move(matches[i]));
    }
    matches = std::move(kept);
}

// The pattern with what its parameters demand: `pattern p(x, w: const) = ...` alone.
PatternTree withConstraints(const PatternDeclTree& pattern) {
    if (pattern.isChain)
        return pattern.pattern;
    PatternTree call;
    call.kind = PatternKind::Call;
    call.name = pattern.name;
    for (const PatternParam& param : pattern.params) {
        PatternTree capture;
        capture.kind = PatternKind::Capture;
        capture.name = param.name;
        capture.value = true; // whatever is declared under its name
        if (!param.constraints.empty())
            capture.span = param.span; // where they are said
        call.args.push_back(std::move(capture));
    }
    return withArguments(pattern, call);
}

// The steps at the end of a pattern that may be absent, so that a match may stop before them.
struct Tail {
    std::set<std::string> operators; // that can take part in them
    std::string text;
    Span span;
};

// Operators in the longest form, every repetition counted; a great number if there is no bound.
std::size_t longest(const PatternTree& pattern, const PatternTable& table, int depth = 0) {
    constexpr std::size_t unbounded = 1000000;
    const auto declared = table.find(pattern.name);
    if (declared != table.end() && refers(pattern))
        return depth > 20 ? unbounded : longest(declared->second->pattern, table, depth + 1);
    std::size_t out = pattern.kind == PatternKind::Call ? 1 : 0;
    for (const PatternTree& part : pattern.args) {
        const std::size_t inner = longest(part, table, depth + 1);
        out = pattern.kind == PatternKind::Alternatives ? std::max(out, inner) : out + inner;
    }
    if (pattern.kind == PatternKind::Repeat)
        out *= static_cast<std::size_t>(pattern.high);
    if (pattern.kind == PatternKind::Dominated || pattern.kind == PatternKind::Rest ||
        pattern.kind == PatternKind::Associative)
        return unbounded;
    return std::min(out, unbounded);
}

std::optional<Tail> tailOf(const PatternTree& pattern, const PatternTable& table, int depth = 0) {
    const auto declared = table.find(pattern.name);
    if (pattern.kind == PatternKind::Capture && refers(pattern) && declared != table.end() &&
        depth < 20) {
        std::optional<Tail> out = tailOf(declared->second->pattern, table, depth + 1);
        if (out)
            out->span = pattern.span; // the place of the name, not that of what it stands for
        return out;
    }
    if (pattern.kind != PatternKind::Sequence)
        return std::nullopt;
    Tail out;
    for (std::size_t i = pattern.args.size(); i-- > 0;) {
        const PatternTree& step = pattern.args[i];
        const bool absent = step.kind == PatternKind::Optional ||
                            (step.kind == PatternKind::Repeat && step.low == 0);
        const std::optional<Tail> inner = absent ? std::nullopt : tailOf(step, table, depth + 1);
        if (!absent && !inner)
            break;
        if (inner)
            out.operators.insert(inner->operators.begin(), inner->operators.end());
        else if (!rootOperators(step.args[0], table, out.operators))
            return std::nullopt; // anything goes
        out.text = patternText(step) + (out.text.empty() ? "" : " >> ") + out.text;
        out.span = {step.span.begin, std::max(out.span.end, step.span.end), step.span.line,
                    step.span.column};
    }
    return out.operators.empty() ? std::nullopt : std::optional(std::move(out));
}

std::string oneOf(const std::set<std::string>& names) {
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : ", ") + name;
    return names.size() == 1 ? out : "one of " + out;
}

// A step of a pattern that takes a node behind one of the values it reads: "add(any, ^)".
std::string stepFor(const Node& node, ValueRef value) {
    const auto at = std::find(node.inputs.begin(), node.inputs.end(), value);
    std::string out = node.op + "(";
    for (auto before = node.inputs.begin(); before != at; ++before)
        out += "any, ";
    return out + (at + 1 < node.inputs.end() ? "^, ...)" : "^)");
}

// A match that could have gone on, had the operator behind it been one of the tail.
void addStopped(const Graph& graph, const Tail& tail, std::size_t most,
                const std::vector<Match>& matches, std::vector<NearMiss>& misses) {
    std::vector<NearMiss> stopped;
    for (const Match& match : matches) {
        const auto uses = graph.uses(match.roots.front());
        if (uses.size() != 1 || match.nodes.size() >= most)
            continue;
        const Node& next = graph.node(uses.front().node);
        if (!tail.operators.contains(next.op))
            stopped.push_back({next.id, match.nodes.size(), match.nodes.size() + 1, tail.text,
                               oneOf(tail.operators), next.op, Missed::Step, tail.span,
                               stepFor(next, match.roots.front())});
    }
    misses.insert(misses.begin(), stopped.begin(), stopped.end());
}

Result<RuleMatch> matchPlain(Matcher& matcher, const PreparedPatterns& patterns, ValueRef root) {
    RuleMatch out;
    FW_TRY(out.match, matcher.matchAt(patterns, root));
    return out;
}

} // namespace

std::string missText(const Graph& graph, const NearMiss& miss) {
    return fmt::format("at {}, {} of {} operators matched: {} expected {}, found {}",
                       graph.node(miss.root).name, miss.matched, miss.total, miss.clause,
                       miss.expected, miss.found);
}

const RuleTree* ruleOf(const DeclarationTree& declaration) {
    const RuleTree* out = nullptr;
    byKind(
        declaration, [&](const RuleTree& rule) { out = &rule; },
        [&](const FuseTree& fuse) { out = &fuse.rule; });
    return out;
}

std::vector<NamedPattern> writtenPatterns(const DeclarationTree& declaration) {
    if (const RuleTree* rule = ruleOf(declaration))
        return rule->match;
    std::vector<NamedPattern> out;
    byKind(declaration, [&](const PatternDeclTree& pattern) {
        out = {{pattern.name, withConstraints(pattern)}};
    });
    return out;
}

bool canMatch(const DeclarationTree& declaration) {
    return ruleOf(declaration) != nullptr || isA<PatternDeclTree>(declaration);
}

FoundMatches findMatches(const Graph& graph, const DeclarationTree& declaration,
                         const PatternTable& table, const MatchLimits& limits) {
    FoundMatches out;
    const RuleTree* rule = ruleOf(declaration);
    const std::vector<NamedPattern> written = writtenPatterns(declaration);
    if (written.empty())
        return out;
    const PreparedPatterns patterns(written, table);
    const PossibleRoots& possible = patterns.possible();
    Matcher matcher(graph, table);
    std::set<NodeId> matched;
    std::vector<std::size_t> failed(rule != nullptr ? rule->where.size() + 1 : 0);
    std::size_t complete = 0, tried = 0;
    RuleMatchOptions options;
    options.offer = limits.offer;
    options.refuse = limits.refuse;
    for (const NodePtr& node : graph.nodes()) {
        ++tried;
        const std::vector<ValueRef> roots = possible.at(*node);
        if (roots.empty())
            continue;
        if (limits.cancel.cancelled() || std::chrono::steady_clock::now() > limits.until) {
            out.stopped = fmt::format("the time was over after {} of {} nodes", tried - 1,
                                      graph.nodes().size());
            break;
        }
        if (out.matches.size() >= limits.matches) {
            out.stopped = fmt::format("there are more than {} matches", limits.matches);
            break;
        }
        for (const ValueRef root : roots) {
            Result<RuleMatch> attempt =
                rule != nullptr ? matchRule(matcher, *rule, patterns, graph, root, options)
                                : matchPlain(matcher, patterns, root);
            if (!attempt) {
                out.problems.push_back(attempt.takeDiag());
                continue;
            }
            std::optional<Match>& match = attempt->match;
            if (const auto& wrong = attempt->failed) {
                ++complete;
                ++failed[wrong->index];
                out.unchanged += wrong->unchanged ? 1 : 0;
                const bool outside = wrong->index == rule->where.size();
                out.nearMisses.push_back({node->id, wrong->matched, wrong->matched, "where",
                                          wrong->expected, wrong->sentence, Missed::Condition,
                                          outside ? Span() : rule->where[wrong->index].tree.span,
                                          "", wrong->index});
                continue;
            }
            if (!match) {
                // With known roots the operator fits; what failed are its attributes or operands.
                if (const NearMiss& miss = matcher.nearMiss();
                    miss.root >= 0 && (!possible.anyOperator() || miss.matched > 0))
                    out.nearMisses.push_back(matcher.nearMiss());
                continue;
            }
            if (match->nodes.empty())
                continue; // a chain of absent steps
            ++complete;
            matched.insert(match->nodes.begin(), match->nodes.end());
            out.matches.push_back(std::move(*match));
        }
    }
    out.funnel = countSteps(graph, written, table, matcher, limits);
    if (out.funnel.empty() && out.stopped.empty() &&
        std::chrono::steady_clock::now() > limits.until)
        out.stopped = "the time was over before the nodes of each step were counted";
    for (std::size_t i = 0; i < failed.size(); ++i) {
        const std::size_t before = complete;
        complete -= failed[i];
        if (i < rule->where.size() || failed[i] > 0)
            out.funnel.push_back({i < rule->where.size() ? rule->where[i].tree.span : Span(), true,
                                  PatternStep::Need::Must, complete, before});
    }
    dropInner(out.matches);
    // Before the attempts that are as far away: there everything that must be has matched.
    if (const std::optional<Tail> tail = tailOf(written.front().pattern, table))
        addStopped(graph, *tail, longest(written.front().pattern, table), out.matches,
                   out.nearMisses);
    std::erase_if(out.nearMisses,
                  [&](const NearMiss& miss) { return matched.contains(miss.root); });
    std::stable_sort(
        out.nearMisses.begin(), out.nearMisses.end(), [](const NearMiss& a, const NearMiss& b) {
            const auto distance = [](const NearMiss& miss) {
                // Repeated steps may match more than the pattern counts.
                const std::size_t left = miss.total > miss.matched ? miss.total - miss.matched : 0;
                return 2 * left + (miss.clause == "where" ? 0 : 1);
            };
            return distance(a) < distance(b);
        });
    return out;
}

} // namespace fw
