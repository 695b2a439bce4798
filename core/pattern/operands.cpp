// Calls: the operator, its attributes and its operands.
#include "pattern/match.h"
#include "pattern/repeated.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace fw {

namespace {

// The operands that are written, and which of them stands for any further ones.
struct Written {
    explicit Written(const PatternTree& call) {
        for (std::size_t i = 0; i < call.args.size(); ++i)
            if (call.args[i].kind == PatternKind::Rest)
                rest = i;
        fixed = call.args.size() - (rest ? 1 : 0);
    }
    // Of `count` values, the argument that the one at `at` belongs to.
    std::size_t argument(std::size_t at, std::size_t count) const {
        if (!rest || at < *rest)
            return at;
        const std::size_t further = count - fixed;
        return at < *rest + further ? *rest : at - further + 1;
    }

    std::optional<std::size_t> rest;
    std::size_t fixed = 0;
};

constexpr std::size_t mostNested = 32; // operands that are matched one inside the other

// Whether p has one way at most to match a value, whatever comes behind it.
bool hasOneWay(const PatternTree& p, const PatternTable& table, const OperatorSet& operators) {
    const auto all = [&] {
        return std::all_of(p.args.begin(), p.args.end(), [&](const PatternTree& part) {
            return hasOneWay(part, table, operators);
        });
    };
    switch (p.kind) {
    case PatternKind::Any:
    case PatternKind::Const:
    case PatternKind::Not:
        return true;
    case PatternKind::Capture:
        return p.value || !table.contains(p.name);
    case PatternKind::Bind:
    case PatternKind::Output:
        return all();
    case PatternKind::Call: {
        if (p.ofKind || table.contains(p.name))
            return false;
        const Operator* op = operators.find(p.name);
        return op != nullptr && !(op->commutative() && p.args.size() == 2) && all();
    }
    case PatternKind::Rest:
        return p.args.empty() || all();
    default:
        return false;
    }
}

} // namespace

bool Matcher::declared(const PatternDeclTree& declaration, const PatternTree& call, ValueRef v,
                       const Previous* previous, const Next& next) {
    const auto [recursive, isNew] = m_recursive.emplace(declaration.name, false);
    if (isNew)
        recursive->second = namesItself(declaration.name, m_table);
    if (!recursive->second)
        return pattern(withArguments(declaration, call), v, previous, next);
    int& level = m_unfolded[declaration.name];
    const PatternTree body = withArguments(declaration, call, {level, m_repeated->values});
    ++level;
    const bool ok = pattern(body, v, previous, next);
    --m_unfolded[declaration.name];
    return ok;
}

bool Matcher::call(const PatternTree& p, ValueRef v, const Previous* previous, const Next& next) {
    if (const auto known = m_table.find(p.name); !p.ofKind && known != m_table.end())
        return declared(*known->second, p, v, previous, next);
    const auto other = [&] { return describe(v); };
    if (!v.valid())
        return refuse(
            Missed::Other, p, [&] { return p.name; }, other);
    const Node& node = m_graph.node(v.node);
    if (p.ofKind) {
        const std::optional<FusionKind> wanted = parseKind(p.name);
        if (!wanted || node.isInput() || node.isConstant() || !countsAs(kindOf(node), *wanted))
            return refuse(
                Missed::Operator, p, [&] { return "kind " + p.name; }, other);
    } else if (node.op != p.name) {
        return refuse(
            Missed::Operator, p, [&] { return p.name; }, other);
    }
    if (v.output != 0)
        return refuse(
            Missed::Other, p, [&] { return "the first result of " + p.name; },
            [&] { return fmt::format("result {}", v.output); });
    if (std::find(m_nodes.begin(), m_nodes.end(), node.id) != m_nodes.end())
        return refuse(
            Missed::Other, p, [&] { return "another " + p.name; },
            [&] {
                const std::string name = p.name.substr(0, 1);
                return fmt::format("the same one; a value that is read twice is named where it "
                                   "stands first, {1} = {0}(...), and read as {1}",
                                   p.ofKind ? "kind " + p.name : p.name, name);
            });
    Values values = node.inputs;
    while (!values.empty() && !values.back().valid())
        values = values.first(values.size() - 1);
    const Written written(p);
    if (written.rest ? values.size() < written.fixed : values.size() != written.fixed)
        return refuse(
            Missed::Operands, p,
            [&] {
                return fmt::format("{}{} operands", written.rest ? "at least " : "", written.fixed);
            },
            [&] { return fmt::format("{}", values.size()); });
    const MatchBindings before = p.attrs.empty() ? MatchBindings() : m_bindings;
    const std::size_t pending = m_pending.size();
    const auto undo = [&] {
        if (!p.attrs.empty())
            m_bindings = before;
        m_pending.resize(pending);
        return false;
    };
    if (!attributes(p, node))
        return undo();
    m_nodes.push_back(node.id);
    m_places.push_back(p.span);
    if (operands(p, values, 0, previous, next))
        return true;
    const Operator* op = m_graph.operators().find(node.op);
    if (op != nullptr && op->commutative() && values.size() == 2) {
        const ValueRef swapped[] = {values[1], values[0]};
        if (operands(p, swapped, 0, previous, next))
            return true;
    }
    m_nodes.pop_back();
    m_places.pop_back();
    return undo();
}

// `r: same(^)`: ^ is the operand beside it.
bool Matcher::likePrevious(const PatternTree& call, const PatternTree& p, Values values,
                           ValueRef v) {
    const auto wanted =
        std::find_if(p.constraints.begin(), p.constraints.end(), [](const PatternConstraint& one) {
            return one.kind == PatternConstraint::Kind::Same && one.name == "^";
        });
    if (wanted == p.constraints.end())
        return true;
    std::optional<ValueRef> other;
    const Written written(call);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (call.args[written.argument(i, values.size())].kind == PatternKind::Previous)
            other = values[i];
    return sameType(p, wanted->name, other, v);
}

bool Matcher::operands(const PatternTree& p, Values values, std::size_t at,
                       const Previous* previous, const Next& next) {
    const Written written(p);
    const auto argument = [&](std::size_t i) { return written.argument(i, values.size()); };
    const auto fromTheEnd = [&](std::size_t i) {
        return *written.rest + values.size() - written.fixed - 1 - i;
    };
    const auto isRest = [&](std::size_t i) { return written.rest == argument(i); };
    const std::function<bool(std::size_t)> nested = [&](std::size_t i) -> bool {
        if (i == values.size())
            return next();
        const PatternTree& wanted = p.args[argument(i)];
        const auto others = [&] { return nested(i + 1); };
        if (isRest(i))
            return furtherOperand(wanted, values[i], fromTheEnd(i), previous, others);
        return likePrevious(p, wanted, values, values[i]) &&
               pattern(wanted, values[i], previous, others);
    };
    bool entered = false; // below the end of `dominated` operands are remembered
    for (const Previous* outer = previous; outer != nullptr; outer = outer->outer)
        entered = entered || outer->entries != nullptr;
    if (values.size() - at <= mostNested || entered)
        return nested(at);

    // Of many those that match in one way only are matched one behind the other, not one inside the
    // other: the stack has an end.
    const MatchBindings bindings = m_bindings;
    const std::map<std::string, int> unfolded = m_unfolded;
    const std::size_t pending = m_pending.size(), nodes = m_nodes.size(), before = m_met;
    std::deque<PatternTree> named; // what is pending points into them
    const auto matched = [&](std::size_t i) {
        const PatternTree& wanted = p.args[argument(i)];
        if (!isRest(i))
            return likePrevious(p, wanted, values, values[i]) &&
                   pattern(wanted, values[i], previous, [] { return true; });
        if (wanted.args.empty())
            return true;
        PatternTree& one = named.emplace_back(wanted.args[0]);
        nameRepetition(one, m_repeated->values, static_cast<int>(fromTheEnd(i)));
        return pattern(one, values[i], previous, [] { return true; });
    };
    std::vector<bool> oneWay;
    for (const PatternTree& one : p.args)
        oneWay.push_back(hasOneWay(one, m_table, m_graph.operators()));
    bool ok = true;
    for (; ok && at < values.size() && oneWay[argument(at)]; ++at, ++m_met)
        ok = matched(at);
    ok = ok && nested(at);
    m_met = before;
    if (ok)
        return true;
    m_bindings = bindings;
    m_unfolded = unfolded;
    m_pending.resize(pending);
    m_nodes.resize(nodes);
    m_places.resize(nodes);
    return false;
}

// One of those that "...p" stands for, or "...", where anything may stand: below the end of
// `dominated` a value from which the paths lead up.
bool Matcher::furtherOperand(const PatternTree& rest, ValueRef v, std::size_t fromTheEnd,
                             const Previous* previous, const Next& next) {
    if (!rest.args.empty()) {
        PatternTree one = rest.args[0];
        nameRepetition(one, m_repeated->values, static_cast<int>(fromTheEnd));
        return pattern(one, v, previous, next);
    }
    while (previous != nullptr && previous->entries == nullptr)
        previous = previous->outer;
    if (previous == nullptr || !v.valid() || m_graph.constant(v) != nullptr)
        return next();
    previous->entries->push_back({v, false});
    if (next())
        return true;
    previous->entries->pop_back();
    return false;
}

} // namespace fw
