// assoc op(p, q, r): a tree of calls of one operator, however it is nested, with these operands: in
// any order if it commutes (what is derived as such is associative, too, where operands and results
// have one element type), else in this one. Which others are associative is asked when a book is
// read.
#include "pattern/match.h"
#include "pattern/repeated.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

bool hasRest(const PatternTree& p) {
    return !p.args.empty() && p.args.back().kind == PatternKind::Rest;
}

} // namespace

bool Matcher::associative(Part p, ValueRef v, const Previous* previous, const Next& next) {
    const Operator* op = m_graph.operators().find(p.tree().name);
    if (!v.valid() || v.output != 0 || m_graph.node(v.node).op != p.tree().name || op == nullptr)
        return refuse(
            Missed::Operator, p, [&] { return p.tree().name; }, [&] { return describe(v); });
    return leavesFrom(p, {v}, 0, previous, next);
}

// Every leaf from `from` on may be a further call of the operator. With "..." as many calls as
// there are come first, else exactly as many as the operands need.
bool Matcher::leavesFrom(Part p, std::vector<ValueRef> leaves, std::size_t from,
                         const Previous* previous, const Next& next) {
    if (++m_steps > m_options.budget)
        return false;
    const bool rest = hasRest(p.tree());
    const std::size_t wanted = p->args.size() - (rest ? 1 : 0);
    if (!rest && leaves.size() == wanted && leaves.size() > 1)
        return assigned(p, std::move(leaves), 0, previous, next);
    for (std::size_t i = from; i < leaves.size(); ++i) {
        const ValueRef leaf = leaves[i];
        if (!leaf.valid() || leaf.output != 0)
            continue;
        const Node& node = m_graph.node(leaf.node);
        if (node.op != p.tree().name || node.inputs.size() != 2 ||
            m_graph.type(leaf).dtype != m_graph.type(node.inputs[0]).dtype || isTaken(node.id))
            continue;
        std::vector<ValueRef> further = leaves;
        further[i] = node.inputs[0];
        further.insert(further.begin() + static_cast<std::ptrdiff_t>(i) + 1, node.inputs[1]);
        m_nodes.push_back(node.id);
        m_places.push_back(p.tree().span);
        if (leavesFrom(p, std::move(further), i, previous, next))
            return true;
        m_nodes.pop_back();
        m_places.pop_back();
    }
    if (rest && leaves.size() > 1 && leaves.size() >= wanted)
        return assigned(p, std::move(leaves), 0, previous, next);
    return leaves.size() < wanted &&
           refuse(
               Missed::Operands, p, [&] { return fmt::format("{} operands", wanted); },
               [&] { return fmt::format("{}", leaves.size()); });
}

// Each operand takes one of the leaves that are left: the first, where order matters.
bool Matcher::assigned(Part p, std::vector<ValueRef> leaves, std::size_t at,
                       const Previous* previous, const Next& next) {
    if (++m_steps > m_options.budget)
        return false;
    if (leaves.empty())
        return next();
    if (p.arg(at).tree().kind == PatternKind::Rest) {
        const ValueRef first = leaves.front();
        leaves.erase(leaves.begin());
        const std::size_t fromTheEnd = leaves.size();
        return furtherOperand(p.arg(at), first, fromTheEnd, previous,
                              [&] { return assigned(p, leaves, at, previous, next); });
    }
    const bool inOrder = !m_graph.operators().find(p.tree().name)->commutative();
    for (std::size_t i = 0; i < (inOrder ? 1 : leaves.size()); ++i) {
        std::vector<ValueRef> left = leaves;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        if (pattern(p.arg(at), leaves[i], previous,
                    [&] { return assigned(p, left, at + 1, previous, next); }))
            return true;
    }
    return false;
}

} // namespace fw
