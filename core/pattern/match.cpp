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

void Matcher::note(Missed why, Part p, std::string expected, std::string found,
                   const PatternAttrTree* attr) {
    m_bestMet = m_met;
    m_best = {m_root,
              m_nodes.size(),
              std::max(m_total, m_nodes.size() + (why == Missed::Operator ? 1 : 0)),
              patternText(p.tree()),
              std::move(expected),
              std::move(found),
              why,
              attr != nullptr && attr->span.line > 0 ? attr->span : p.tree().span,
              attr != nullptr       ? attr->name
              : p->name.number >= 0 ? nameText(p->name, p)
                                    : p.tree().name};
}

Matcher::Mark Matcher::mark() const {
    return {m_bound.size(), m_pending.size(), m_nodes.size()};
}

bool Matcher::undo(const Mark& mark) {
    for (; m_bound.size() > mark.bound; m_bound.pop_back()) {
        const auto& [of, name, repetition] = m_bound.back();
        const auto at = static_cast<std::size_t>(name);
        switch (of) {
        case Bound::Of::Value:
            valueAt(name, repetition).reset();
            break;
        case Bound::Of::Attributes:
            m_attrs[at] = nullptr;
            break;
        case Bound::Of::Attribute:
            m_attrValues[at].reset();
            break;
        case Bound::Of::Term:
            m_terms[at].reset();
            break;
        }
    }
    m_pending.resize(mark.pending);
    m_nodes.resize(mark.nodes);
    m_places.resize(mark.nodes);
    return false;
}

void Matcher::begin(const PreparedPatterns& prepared, ValueRef root) {
    undo({});
    m_prepared = &prepared;
    m_ownNames.reset();
    m_levels.clear();
    m_unfolded.clear();
    m_steps = 0;
    m_met = 0;
    m_root = root.node;
    m_rootOutput = root.output;
    m_best = {};
    m_total = prepared.operators();
    makeRoom();
    for (const auto& [name, value] : m_options.bound) {
        int number = names().find(name);
        if (number < 0) {
            number = ownNames().of(name);
            makeRoom();
        }
        valueAt(number, 0) = value;
        m_bound.push_back({Bound::Of::Value, number, 0});
    }
}

void Matcher::makeRoom() {
    if (const std::size_t count = names().size(); count > m_values.size()) {
        m_values.resize(count);
        m_earlier.resize(count);
        m_attrs.resize(count);
        m_attrValues.resize(count);
        m_terms.resize(count);
    }
}

PatternNames& Matcher::ownNames() {
    if (!m_ownNames)
        m_ownNames = m_prepared->names();
    return *m_ownNames;
}

std::optional<ValueRef>& Matcher::valueAt(int name, int repetition) {
    const auto at = static_cast<std::size_t>(name);
    if (repetition == 0)
        return m_values[at];
    std::vector<std::optional<ValueRef>>& earlier = m_earlier[at];
    if (earlier.size() < static_cast<std::size_t>(repetition))
        earlier.resize(static_cast<std::size_t>(repetition));
    return earlier[static_cast<std::size_t>(repetition) - 1];
}

std::optional<ValueRef> Matcher::boundValue(const ValueName& name, Part p) {
    return name.number < 0
               ? std::nullopt
               : valueAt(name.number, name.isListed ? p.repetitionOf(name.repetition) : 0);
}

std::string Matcher::nameText(const ValueName& name, Part p) const {
    return names().text(name.number) +
           (name.isListed ? repetitionMark(p.repetitionOf(name.repetition)) : std::string());
}

MatchBindings Matcher::bindings() {
    MatchBindings out;
    const std::set<std::string>& listed = m_prepared->repeated().values;
    for (const auto& [of, name, repetition] : m_bound) {
        const std::string& text = names().text(name);
        const auto at = static_cast<std::size_t>(name);
        if (of == Bound::Of::Attributes)
            out.attrs.emplace(text, *m_attrs[at]);
        else if (of == Bound::Of::Attribute)
            out.attrValues.emplace(text, *m_attrValues[at]);
        else if (of == Bound::Of::Term)
            out.terms.emplace(text, *m_terms[at]);
        else if (!listed.contains(text))
            out.values.emplace(text, *m_values[at]);
    }
    for (const std::string& text : listed) {
        std::vector<ValueRef>& list = out.lists[text];
        const int name = names().find(text);
        // The match goes from the end to the start.
        for (std::size_t i = name < 0 ? 0 : m_earlier[static_cast<std::size_t>(name)].size() + 1;
             i-- > 0;)
            if (const auto value = valueAt(name, static_cast<int>(i)))
                list.push_back(*value);
        if (list.size() == 1)
            out.values.emplace(text, list.front());
    }
    return out;
}

bool Matcher::rootsFrom(std::size_t i, Match& found, const AcceptMatch& accept) {
    if (i == m_prepared->roots().size()) {
        if (!pendingHold())
            return false;
        found.bindings = bindings();
        found.nodes = m_nodes;
        found.places = m_places;
        return !accept || accept(found);
    }
    const PreparedPatterns::Root& root = m_prepared->roots()[i];
    const auto tryAt = [&](ValueRef v) {
        found.roots.push_back(v);
        const Part whole{&root.pattern};
        const bool ok = bind(root.name, whole, v, [&] {
            return pattern(whole, v, nullptr, [&] { return rootsFrom(i + 1, found, accept); });
        });
        if (!ok)
            found.roots.pop_back();
        return ok;
    };
    return i == 0 ? tryAt({m_root, m_rootOutput}) : anyCandidate(root, tryAt);
}

Result<std::optional<Match>> Matcher::matchAt(const PreparedPatterns& prepared, ValueRef root,
                                              const AcceptMatch& accept) {
    begin(prepared, root);
    Match found;
    const bool ok = rootsFrom(0, found, accept);
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

bool Matcher::anyCandidate(const PreparedPatterns::Root& root, FunctionRef<bool(ValueRef)> take) {
    Part p{&root.pattern};
    while (p.tree().kind == PatternKind::Bind)
        p = p.arg(0);
    // Of (a, b) = op(x): b, when a is known.
    if (p.tree().kind == PatternKind::Output && p.tree().low >= 0 &&
        p.arg(0).tree().kind == PatternKind::Capture)
        if (const auto known = boundValue(p.arg(0)->name, p); known && known->valid()) {
            const auto count = static_cast<std::int64_t>(m_graph.node(known->node).outputs.size());
            return p.tree().low < count && take({known->node, static_cast<int>(p.tree().low)});
        }
    const auto takeAny = [&](const Node& node) {
        const std::vector<ValueRef> here = root.possible.at(node);
        return std::any_of(here.begin(), here.end(), take);
    };
    // A value that is bound leaves those who read it.
    if (p.tree().kind == PatternKind::Call && !p->declared)
        for (const PatternNode& operand : p->args) {
            const auto known = operand.tree->kind == PatternKind::Capture && !operand.declared
                                   ? boundValue(operand.name, p)
                                   : std::nullopt;
            if (!known)
                continue;
            NodeId last = -1;
            for (const Use& use : m_graph.uses(*known))
                if (std::exchange(last, use.node) != use.node && takeAny(m_graph.node(use.node)))
                    return true;
            return false;
        }
    if (!root.possible.anyOperator()) {
        if (m_options.index == nullptr && !m_ownIndex)
            m_ownIndex.emplace(m_graph);
        const NodeIndex& index = m_options.index != nullptr ? *m_options.index : *m_ownIndex;
        return index.any(root.possible.operators(),
                         [&](NodeId id) { return takeAny(m_graph.node(id)); });
    }
    for (const NodePtr& node : m_graph.nodes())
        for (std::size_t o = 0; o < node->outputs.size() && !node->isConstant(); ++o)
            if (take({node->id, static_cast<int>(o)}))
                return true;
    return false;
}

bool Matcher::bind(const ValueName& name, Part p, ValueRef v, const Next& next) {
    const int repetition = name.isListed ? p.repetitionOf(name.repetition) : 0;
    if (const std::optional<ValueRef> known = valueAt(name.number, repetition))
        return *known == v ? met(next)
                           : refuse(
                                 Missed::SameValue, p,
                                 [&] { return nameText(name, p) + " again: " + describe(*known); },
                                 [&] { return describe(v); });
    const Mark before = mark();
    valueAt(name.number, repetition) = v;
    m_bound.push_back({Bound::Of::Value, name.number, repetition});
    return met(next) || undo(before);
}

bool Matcher::noValue(Part p) {
    return refuse(
        Missed::Other, p, [] { return "a value"; }, [] { return "no operand"; });
}

bool Matcher::matches(Part p, ValueRef v, const Previous* previous, std::vector<NodeId>* nodes) {
    const Mark before = mark();
    ++m_quiet;
    const bool ok = pattern(p, v, previous, [] { return true; });
    --m_quiet;
    if (ok && nodes != nullptr)
        nodes->insert(nodes->end(), m_nodes.begin() + static_cast<std::ptrdiff_t>(before.nodes),
                      m_nodes.end());
    undo(before);
    return ok;
}

bool Matcher::pattern(Part p, ValueRef v, const Previous* previous, const Next& next) {
    if (m_depth > deepest)
        m_steps = m_options.budget; // as if all steps were taken: the stack must not decide
    if (++m_steps > m_options.budget)
        return false;
    struct Depth {
        int& depth;
        explicit Depth(int& d) : depth(d) { ++depth; }
        ~Depth() { --depth; }
    } guard(m_depth);
    if (p.tree().where.empty())
        return unconditioned(p, v, previous, next);
    const auto asked = [&] {
        const Mark before = mark();
        for (const ConditionTree& one : p.tree().where)
            m_pending.push_back({&one, nullptr, {}, p, one.text});
        return next() || undo(before);
    };
    return unconditioned(p, v, previous, asked);
}

bool Matcher::unconditioned(Part p, ValueRef v, const Previous* previous, const Next& next) {
    if (p->constraints.empty())
        return unconstrained(p, v, previous, next);
    const Mark before = mark();
    const auto typesAgree = [&] { return sameTypes(p, v) && next(); };
    return (constrained(p, v) && unconstrained(p, v, previous, typesAgree)) || undo(before);
}

bool Matcher::isTaken(NodeId node) const {
    return std::find(m_nodes.begin() + static_cast<std::ptrdiff_t>(m_apart), m_nodes.end(), node) !=
           m_nodes.end();
}

bool Matcher::absent(Part p, ValueRef v) {
    const std::size_t before = std::exchange(m_apart, m_nodes.size());
    const bool isThere = matches(p.arg(0), v, nullptr);
    m_apart = before;
    return isThere ? refuse(
                         Missed::Other, p, [&] { return patternText(p.tree()); },
                         [&] { return describe(v); })
                   : true;
}

bool Matcher::part(Part p, ValueRef v, const Previous* previous, const Next& next) {
    if (p.tree().shared && boundValue(p->name, p))
        return bind(p->name, p, v, next);
    const int result = p.tree().result;
    if (result < 0)
        return pattern(p.arg(0), v, previous, [&] { return bind(p->name, p, v, next); });
    if (!v.valid() || result >= static_cast<int>(m_graph.node(v.node).outputs.size()))
        return refuse(
            Missed::Other, p, [&] { return fmt::format("{} results", result + 1); },
            [&] { return describe(v); });
    return pattern(p.arg(0), v, previous, [&] { return bind(p->name, p, {v.node, result}, next); });
}

bool Matcher::unconstrained(Part p, ValueRef v, const Previous* previous, const Next& next) {
    const PatternTree& tree = p.tree();
    switch (tree.kind) {
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
        if (p->declared) // a chain
            return declared(p, v, previous, next);
        return v.valid() ? bind(p->name, p, v, next) : noValue(p);
    case PatternKind::Bind:
        return part(p, v, previous, next);
    case PatternKind::Alternatives:
        for (std::size_t i = 0; i < p->args.size(); ++i)
            if (pattern(p.arg(i), v, previous, next))
                return true;
        return false;
    case PatternKind::Sequence:
        return wholeSequence(p, v, previous, next);
    case PatternKind::Optional:
    case PatternKind::Repeat:
    case PatternKind::Rest:
        return refuse( // only inside a sequence or a call, which handles it
            Missed::Other, p, [] { return "a step behind >>"; }, [&] { return patternText(tree); });
    case PatternKind::Call:
        return call(p, v, previous, next);
    case PatternKind::Not:
        return v.valid() ? absent(p, v) && next() : noValue(p);
    case PatternKind::Output:
        if (!v.valid() || (tree.low >= 0 && v.output != tree.low))
            return refuse(
                Missed::Other, p, [&] { return fmt::format("result {}", tree.low); },
                [&] { return v.valid() ? fmt::format("result {}", v.output) : describe(v); });
        return pattern(p.arg(0), {v.node, 0}, previous, next);
    case PatternKind::Dominated:
        return dominated(p, v, previous, next);
    case PatternKind::Associative:
        return associative(p, v, previous, next);
    }
    return false;
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
