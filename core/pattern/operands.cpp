// Calls: the operator, its attributes and its operands.
#include "pattern/match.h"
#include "pattern/repeated.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::size_t mostNested = 32; // operands that are matched one inside the other

// Whether p has one way at most to match a value, whatever comes behind it.
bool hasOneWay(const PatternNode& p, const OperatorSet& operators) {
    const auto all = [&] {
        return std::all_of(p.args.begin(), p.args.end(),
                           [&](const PatternNode& part) { return hasOneWay(part, operators); });
    };
    switch (p.tree->kind) {
    case PatternKind::Any:
    case PatternKind::Const:
    case PatternKind::Not:
        return true;
    case PatternKind::Capture:
        return p.declared == nullptr;
    case PatternKind::Bind:
    case PatternKind::Output:
        return all();
    case PatternKind::Call: {
        if (p.tree->ofKind || p.declared != nullptr)
            return false;
        const Operator* op = operators.find(p.tree->name);
        return op != nullptr && !(op->commutative() && p.args.size() == 2) && all();
    }
    case PatternKind::Rest:
        return p.args.empty() || all();
    default:
        return false;
    }
}

} // namespace

bool Matcher::declared(Part p, ValueRef v, const Previous* previous, const Next& next) {
    if (!p->namesItself)
        return pattern(unfolded(p, {}), v, previous, next);
    int& level = m_levels[p->declared];
    const Part body = unfolded(p, {level, m_prepared->repeated().values});
    ++level;
    const bool ok = pattern(body, v, previous, next);
    --m_levels[p->declared];
    return ok;
}

Matcher::Part Matcher::unfolded(Part p, const Unfolding& unfolding) {
    std::unique_ptr<Unfolded>& out =
        m_unfolded[{p.node, p.repetition, p.isFromTheEnd, unfolding.level}];
    if (!out) {
        const RepeatedNames& repeated = m_prepared->repeated();
        PatternTree call = p.tree();
        nameRepetition(call, repeated.values, [&](int own) { return p.repetitionOf(own); });
        out = std::make_unique<Unfolded>();
        out->tree = withArguments(*p->declared, call, unfolding);
        out->node = prepare(out->tree, m_table, repeated, ownNames(), out->nodes);
        makeRoom();
    }
    return {&out->node};
}

// Whether a call can be here at all.
bool Matcher::isCalled(Part p, ValueRef v) {
    const PatternTree& tree = p.tree();
    const auto other = [&] { return describe(v); };
    if (!v.valid())
        return refuse(
            Missed::Other, p, [&] { return tree.name; }, other);
    const Node& node = m_graph.node(v.node);
    if (tree.ofKind) {
        if (!p->fusionKind || node.isInput() || node.isConstant() ||
            !countsAs(kindOf(node), *p->fusionKind))
            return refuse(
                Missed::Operator, p, [&] { return "kind " + tree.name; }, other);
    } else if (node.op != tree.name) {
        return refuse(
            Missed::Operator, p, [&] { return tree.name; }, other);
    }
    if (v.output != 0)
        return refuse(
            Missed::Other, p, [&] { return "the first result of " + tree.name; },
            [&] { return fmt::format("result {}", v.output); });
    if (isTaken(node.id))
        return refuse(
            Missed::Other, p, [&] { return "another " + tree.name; },
            [&] {
                const std::string name = tree.name.substr(0, 1);
                return fmt::format("the same one; a value that is read twice is named where it "
                                   "stands first, {1} = {0}(...), and read as {1}",
                                   tree.ofKind ? "kind " + tree.name : tree.name, name);
            });
    return true;
}

bool Matcher::call(Part p, ValueRef v, const Previous* previous, const Next& next) {
    if (p->declared)
        return declared(p, v, previous, next);
    if (!isCalled(p, v))
        return false;
    const Node& node = m_graph.node(v.node);
    Operands all{p, node.inputs, previous};
    while (!all.values.empty() && !all.values.back().valid())
        all.values = all.values.first(all.values.size() - 1);
    if (p->rest ? all.values.size() < p->fixed : all.values.size() != p->fixed)
        return refuse(
            Missed::Operands, p,
            [&] { return fmt::format("{}{} operands", p->rest ? "at least " : "", p->fixed); },
            [&] { return fmt::format("{}", all.values.size()); });
    const Mark before = mark();
    if (!attributes(p, node))
        return undo(before);
    m_nodes.push_back(node.id);
    m_places.push_back(p.tree().span);
    if (operands(all, next))
        return true;
    const Operator* op = m_graph.operators().find(node.op);
    if (op != nullptr && op->commutative() && all.values.size() == 2) {
        const ValueRef swapped[] = {all.values[1], all.values[0]};
        if (operands({p, swapped, previous}, next))
            return true;
    }
    return undo(before);
}

// `r: same(^)`: ^ is the operand beside it.
bool Matcher::likePrevious(const Operands& all, std::size_t at) {
    const std::size_t count = all.values.size();
    const Part wanted = all.call.arg(all.call->argument(at, count));
    if (wanted->likePrevious == nullptr)
        return true;
    std::optional<ValueRef> other;
    for (std::size_t i = 0; i < count; ++i)
        if (all.call.arg(all.call->argument(i, count)).tree().kind == PatternKind::Previous)
            other = all.values[i];
    return sameType(wanted, wanted->likePrevious->name, other, all.values[at]);
}

bool Matcher::operandsFrom(const Operands& all, std::size_t at, const Next& next) {
    const std::size_t count = all.values.size();
    if (at == count)
        return next();
    const std::size_t argument = all.call->argument(at, count);
    const Part wanted = all.call.arg(argument);
    const auto others = [&] { return operandsFrom(all, at + 1, next); };
    if (all.call->rest == argument)
        return furtherOperand(wanted, all.values[at], argument + count - all.call->fixed - 1 - at,
                              all.previous, others);
    return likePrevious(all, at) && pattern(wanted, all.values[at], all.previous, others);
}

bool Matcher::operands(const Operands& all, const Next& next) {
    bool entered = false; // below the end of `dominated` operands are remembered
    for (const Previous* outer = all.previous; outer != nullptr; outer = outer->outer)
        entered = entered || outer->entries != nullptr;
    if (all.values.size() <= mostNested || entered)
        return operandsFrom(all, 0, next);
    const Mark before = mark();
    const std::size_t operandsMet = m_met;
    std::size_t at = 0;
    const bool ok = takeOneByOne(all, at) && operandsFrom(all, at, next);
    m_met = operandsMet;
    return ok || undo(before);
}

// Of many those that match in one way only are matched one behind the other, not one inside the
// other: the stack has an end.
bool Matcher::takeOneByOne(const Operands& all, std::size_t& at) {
    const std::size_t count = all.values.size();
    std::vector<bool> oneWay;
    for (const PatternNode& one : all.call->args)
        oneWay.push_back(hasOneWay(one, m_graph.operators()));
    for (; at < count; ++at, ++m_met) {
        const std::size_t argument = all.call->argument(at, count);
        if (!oneWay[argument])
            return true;
        Part wanted = all.call.arg(argument);
        if (all.call->rest != argument) {
            if (!likePrevious(all, at))
                return false;
        } else if (wanted->args.empty()) {
            continue;
        } else {
            wanted = wanted.arg(0);
            wanted.repetition = static_cast<int>(argument + count - all.call->fixed - 1 - at);
            wanted.isFromTheEnd = true;
        }
        if (!pattern(wanted, all.values[at], all.previous, [] { return true; }))
            return false;
    }
    return true;
}

// One of those that "...p" stands for, or "...", where anything may stand: below the end of
// `dominated` a value from which the paths lead up.
bool Matcher::furtherOperand(Part rest, ValueRef v, std::size_t fromTheEnd,
                             const Previous* previous, const Next& next) {
    if (!rest->args.empty())
        return pattern({&rest->args[0], static_cast<int>(fromTheEnd), true}, v, previous, next);
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
