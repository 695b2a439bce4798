#include "pattern/match.h"

#include "pattern/repeated.h"
#include "pattern/roots.h"

#include "ir/missing_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace fw {

namespace {

constexpr int deepest = 1000; // nested steps; a match that needs more counts as too many ways

}

Matcher::Matcher(const Graph& graph, const PatternTable& table, MatchOptions options)
    : m_graph(graph), m_table(table), m_options(options), m_quiet(options.nearMisses ? 0 : 1) {}

PreparedPatterns::PreparedPatterns(std::vector<NamedPattern> patterns, const PatternTable& table)
    : m_all(std::move(patterns)) {
    for (NamedPattern& named : m_all) {
        named.pattern = withDeclared(named.pattern, table);
        m_operators += callCount(named.pattern);
    }
    m_repeated = repeatedNames(m_all, table);
}

std::string Matcher::describe(ValueRef v) const {
    if (!v.valid())
        return "no operand";
    const Node& node = m_graph.node(v.node);
    if (node.isInput() || node.isConstant())
        return node.op + " " + node.name;
    if (!node.isUnknown())
        return node.op;
    for (const ValueRef& input : node.inputs)
        if (const auto missing = missingType(m_graph, input))
            return fmt::format("{}, of which {}", node.shownOp(), missing->why);
    return node.shownOp() + ", which is not known";
}

bool Matcher::furthest(Missed why) const {
    return m_quiet == 0 &&
           (m_best.clause.empty() ||
            std::tuple(m_nodes.size(), m_met, why != Missed::Operator) >
                std::tuple(m_best.matched, m_bestMet, m_best.why != Missed::Operator));
}

bool Matcher::met(const Next& next) {
    ++m_met;
    const bool ok = next();
    --m_met;
    return ok;
}

void Matcher::note(Missed why, const PatternTree& p, std::string expected, std::string found,
                   const PatternAttrTree* attr) {
    m_bestMet = m_met;
    m_best = {m_root,
              m_nodes.size(),
              std::max(m_total, m_nodes.size() + (why == Missed::Operator ? 1 : 0)),
              patternText(p),
              std::move(expected),
              std::move(found),
              why,
              attr != nullptr && attr->span.line > 0 ? attr->span : p.span,
              attr != nullptr ? attr->name : p.name};
}

Result<std::optional<Match>> Matcher::matchAt(const PreparedPatterns& prepared, ValueRef root,
                                              const AcceptMatch& accept) {
    const std::vector<NamedPattern>& patterns = prepared.all();
    m_bindings = {};
    m_bindings.values = m_options.bound;
    m_pending.clear();
    m_unfolded.clear();
    m_nodes.clear();
    m_places.clear();
    m_steps = 0;
    m_met = 0;
    m_root = root.node;
    m_best = {};
    m_total = prepared.operators();
    m_repeated = &prepared.repeated();
    Match found;
    std::function<bool(std::size_t)> from = [&](std::size_t i) -> bool {
        if (i == patterns.size()) {
            if (!pendingHold())
                return false;
            found.bindings = m_bindings;
            gatherLists(m_repeated->values, found.bindings);
            found.nodes = m_nodes;
            found.places = m_places;
            return !accept || accept(found);
        }
        const auto tryAt = [&](ValueRef v) {
            found.roots.push_back(v);
            const bool ok = bind(patterns[i].name, v, patterns[i].pattern, [&] {
                return pattern(patterns[i].pattern, v, nullptr, [&] { return from(i + 1); });
            });
            if (!ok)
                found.roots.pop_back();
            return ok;
        };
        if (i == 0)
            return tryAt(root);
        return anyCandidate(patterns[i].pattern, tryAt);
    };
    const bool ok = from(0);
    if (m_steps > m_options.budget)
        return makeDiag(DiagCode::LimitReached, "there are too many ways to match",
                        {{}, m_graph.node(root.node).name});
    return ok ? std::optional(std::move(found)) : std::nullopt;
}

bool Matcher::matchesAt(const PreparedPatterns& patterns, ValueRef root) {
    ++m_quiet;
    const Result<std::optional<Match>> found = matchAt(patterns, root);
    --m_quiet;
    return found && *found && !(*found)->nodes.empty();
}

bool Matcher::anyCandidate(const PatternTree& written, const std::function<bool(ValueRef)>& take) {
    const PatternTree* p = &written;
    while (p->kind == PatternKind::Bind)
        p = &p->args[0];
    // Of (a, b) = op(x): b, when a is known.
    if (p->kind == PatternKind::Output && p->low >= 0 && p->args[0].kind == PatternKind::Capture)
        if (const auto known = m_bindings.values.find(p->args[0].name);
            known != m_bindings.values.end() && known->second.valid()) {
            const NodeId node = known->second.node;
            const auto count = static_cast<std::int64_t>(m_graph.node(node).outputs.size());
            return p->low < count && take({node, static_cast<int>(p->low)});
        }
    const PossibleRoots possible(*p, m_table);
    const auto takeAny = [&](const Node& node) {
        const std::vector<ValueRef> here = possible.at(node);
        return std::any_of(here.begin(), here.end(), take);
    };
    // A value that is bound leaves those who read it.
    if (p->kind == PatternKind::Call && !m_table.contains(p->name))
        for (const PatternTree& operand : p->args) {
            const auto known = operand.kind == PatternKind::Capture
                                   ? m_bindings.values.find(operand.name)
                                   : m_bindings.values.end();
            if (known == m_bindings.values.end() ||
                (!operand.value && m_table.contains(operand.name)))
                continue;
            NodeId last = -1;
            for (const Use& use : m_graph.uses(known->second))
                if (std::exchange(last, use.node) != use.node && takeAny(m_graph.node(use.node)))
                    return true;
            return false;
        }
    if (std::set<std::string> names; rootOperators(*p, m_table, names)) {
        if (m_options.index == nullptr && !m_ownIndex)
            m_ownIndex.emplace(m_graph);
        const NodeIndex& index = m_options.index != nullptr ? *m_options.index : *m_ownIndex;
        return index.any(names, [&](NodeId id) { return takeAny(m_graph.node(id)); });
    }
    for (const NodePtr& node : m_graph.nodes())
        for (std::size_t o = 0; o < node->outputs.size() && !node->isConstant(); ++o)
            if (take({node->id, static_cast<int>(o)}))
                return true;
    return false;
}

bool Matcher::bind(const std::string& name, ValueRef v, const PatternTree& p, const Next& next) {
    const auto known = m_bindings.values.find(name);
    if (known != m_bindings.values.end())
        return known->second == v ? met(next)
                                  : refuse(
                                        Missed::SameValue, p,
                                        [&] { return name + " again: " + describe(known->second); },
                                        [&] { return describe(v); });
    m_bindings.values.emplace(name, v);
    if (met(next))
        return true;
    m_bindings.values.erase(name);
    return false;
}

bool Matcher::noValue(const PatternTree& p) {
    return refuse(
        Missed::Other, p, [] { return "a value"; }, [] { return "no operand"; });
}

struct Matcher::State {
    MatchBindings bindings;
    std::vector<Pending> pending;
    std::size_t nodes;
    std::map<std::string, int> unfolded;
};

Matcher::State Matcher::state() const {
    return {m_bindings, m_pending, m_nodes.size(), m_unfolded};
}

void Matcher::restore(State&& state) {
    m_bindings = std::move(state.bindings);
    m_pending = std::move(state.pending);
    m_nodes.resize(state.nodes);
    m_places.resize(state.nodes);
    m_unfolded = std::move(state.unfolded);
}

bool Matcher::matches(const PatternTree& p, ValueRef v, const Previous* previous,
                      std::vector<NodeId>* nodes) {
    State before = state();
    ++m_quiet;
    const bool ok = pattern(p, v, previous, [] { return true; });
    --m_quiet;
    if (ok && nodes != nullptr)
        nodes->insert(nodes->end(), m_nodes.begin() + static_cast<std::ptrdiff_t>(before.nodes),
                      m_nodes.end());
    restore(std::move(before));
    return ok;
}

bool Matcher::pattern(const PatternTree& p, ValueRef v, const Previous* previous,
                      const Next& next) {
    if (m_depth > deepest)
        m_steps = m_options.budget; // as if all steps were taken: the stack must not decide
    if (++m_steps > m_options.budget)
        return false;
    struct Depth {
        int& depth;
        explicit Depth(int& d) : depth(d) { ++depth; }
        ~Depth() { --depth; }
    } guard(m_depth);
    if (p.where.empty())
        return unconditioned(p, v, previous, next);
    const auto before = m_pending.size();
    const auto asked = [&] {
        const auto here = m_pending.size();
        for (const ConditionTree& one : p.where)
            m_pending.push_back({&one, nullptr, {}, &p, one.text});
        if (next())
            return true;
        m_pending.resize(here);
        return false;
    };
    if (unconditioned(p, v, previous, asked))
        return true;
    m_pending.resize(before);
    return false;
}

bool Matcher::unconditioned(const PatternTree& p, ValueRef v, const Previous* previous,
                            const Next& next) {
    if (p.constraints.empty())
        return unconstrained(p, v, previous, next);
    const std::map<std::string, TermValue> terms = m_bindings.terms;
    const std::size_t pending = m_pending.size();
    const auto typesAgree = [&] { return sameTypes(p, v) && next(); };
    if (constrained(p, v) && unconstrained(p, v, previous, typesAgree))
        return true;
    m_bindings.terms = terms;
    m_pending.resize(pending);
    return false;
}

bool Matcher::absent(const PatternTree& p, ValueRef v) {
    return matches(p.args[0], v, nullptr)
               ? refuse(
                     Missed::Other, p, [&] { return patternText(p); }, [&] { return describe(v); })
               : true;
}

bool Matcher::unconstrained(const PatternTree& p, ValueRef v, const Previous* previous,
                            const Next& next) {
    switch (p.kind) {
    case PatternKind::Previous:
        return previousValue(v, previous, next);
    case PatternKind::Any:
        return v.valid() ? met(next) : noValue(p);
    case PatternKind::Const:
        return m_graph.constant(v) != nullptr
                   ? met(next)
                   : refuse(
                         Missed::Constant, p, [] { return "a constant"; },
                         [&] { return describe(v); });
    case PatternKind::Capture:
        if (const auto known = m_table.find(p.name); !p.value && known != m_table.end())
            return declared(*known->second, p, v, previous, next); // a chain
        if (!v.valid())
            return noValue(p);
        return bind(p.name, v, p, next);
    case PatternKind::Bind:
        if (p.shared && m_bindings.values.contains(p.name))
            return bind(p.name, v, p, next);
        if (p.result < 0)
            return pattern(p.args[0], v, previous, [&] { return bind(p.name, v, p, next); });
        if (!v.valid() || p.result >= static_cast<int>(m_graph.node(v.node).outputs.size()))
            return refuse(
                Missed::Other, p, [&] { return fmt::format("{} results", p.result + 1); },
                [&] { return describe(v); });
        return pattern(p.args[0], v, previous, [&] {
            return bind(p.name, {v.node, p.result}, p, next);
        });
    case PatternKind::Alternatives:
        for (const PatternTree& option : p.args)
            if (pattern(option, v, previous, next))
                return true;
        return false;
    case PatternKind::Sequence:
        return wholeSequence(p, v, previous, next);
    case PatternKind::Optional:
    case PatternKind::Repeat:
    case PatternKind::Rest:
        return refuse( // only inside a sequence or a call, which handles it
            Missed::Other, p, [] { return "a step behind >>"; }, [&] { return patternText(p); });
    case PatternKind::Call:
        return call(p, v, previous, next);
    case PatternKind::Not:
        return v.valid() ? absent(p, v) && next() : noValue(p);
    case PatternKind::Output:
        if (!v.valid() || (p.low >= 0 && v.output != p.low))
            return refuse(
                Missed::Other, p, [&] { return fmt::format("result {}", p.low); },
                [&] { return v.valid() ? fmt::format("result {}", v.output) : describe(v); });
        return pattern(p.args[0], {v.node, 0}, previous, next);
    case PatternKind::Dominated:
        return dominated(p, v, previous, next);
    case PatternKind::Associative:
        return associative(p, v, previous, next);
    }
    return false;
}

std::optional<FusionKind> parseKind(std::string_view text) {
    for (int i = 0; i <= static_cast<int>(FusionKind::Opaque); ++i)
        if (kindText(static_cast<FusionKind>(i)) == text)
            return static_cast<FusionKind>(i);
    return std::nullopt;
}

const std::vector<std::string>& kindNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (int i = 0; i <= static_cast<int>(FusionKind::Opaque); ++i)
            out.emplace_back(kindText(static_cast<FusionKind>(i)));
        return out;
    }();
    return names;
}

std::optional<FusionKind> patternKind(const Facts& facts) {
    const auto& operands = facts.inputKinds;
    if (facts.kind == FusionKind::Opaque)
        return facts.kind;
    if (operands.empty() ||
        std::find(operands.begin(), operands.end(), FusionKind::Opaque) != operands.end())
        return std::nullopt;
    const FusionKind hardest = *std::max_element(operands.begin(), operands.end());
    return facts.kind <= FusionKind::Injective ? std::max(facts.kind, hardest) : facts.kind;
}

bool countsAs(std::optional<FusionKind> found, FusionKind wanted) {
    return found && (wanted <= FusionKind::Injective ? *found <= wanted : *found == wanted);
}

std::optional<FusionKind> Matcher::kindOf(const Node& node) {
    const auto [place, isNew] = m_kinds.emplace(node.id, FusionKind::Opaque);
    if (isNew)
        if (const Operator* op = m_graph.operators().find(node.op))
            if (const Result<Facts> facts = op->facts(callOf(m_graph, node)))
                place->second = patternKind(*facts);
    return place->second;
}

} // namespace fw
