#include "expr/simplify_memo.h"

#include <algorithm>

namespace fw {

namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t with) {
    return (hash ^ with) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
}

std::uint64_t hashOf(const Ranges& ranges) {
    std::uint64_t out = ranges.size();
    for (const Range& range : ranges.all())
        out = mixed(mixed(mixed(out, range.var.id()), range.min.hash()), range.max.hash());
    for (const Expr& fact : ranges.facts())
        out = mixed(out, fact.hash());
    return out;
}

bool sayNothingOf(const std::vector<Symbol>& vars, const Ranges& ranges) {
    return ranges.facts().empty() && std::none_of(vars.begin(), vars.end(), [&](Symbol var) {
               return ranges.find(var) != nullptr || ranges.isFilled(var);
           });
}

} // namespace

SimplifyMemo& SimplifyMemo::ofThread() {
    thread_local SimplifyMemo memo;
    return memo;
}

SimplifyMemo& SimplifyMemo::proofsOfThread() {
    thread_local SimplifyMemo memo;
    return memo;
}

void SimplifyMemo::forget() {
    m_contexts.clear();
    m_known.clear();
    m_kept = 0;
}

std::size_t SimplifyMemo::contextOf(const Ranges& ranges) {
    const std::uint64_t hash = hashOf(ranges);
    const auto [first, last] = m_contexts.equal_range(hash);
    for (auto it = first; it != last; ++it) {
        const Context& known = it->second;
        if (known.facts == ranges.facts() &&
            std::equal(known.ranges.begin(), known.ranges.end(), ranges.all().begin(),
                       ranges.all().end(), [](const Range& a, const Range& b) {
                           return a.var == b.var && a.min == b.min && a.max == b.max;
                       }))
            return known.number;
    }
    if (m_contexts.size() >= mostContexts)
        forget();
    m_contexts.emplace(hash, Context{m_numbers, ranges.all(), ranges.facts()});
    return m_numbers++;
}

std::optional<Expr> SimplifyMemo::find(const Expr& e, const Ranges& ranges,
                                       std::size_t context) const {
    const auto known = m_known.find(e);
    if (known == m_known.end())
        return std::nullopt;
    if (known->second.anywhere && sayNothingOf(known->second.vars, ranges))
        return known->second.anywhere;
    const auto in = known->second.in.find(context);
    return in == known->second.in.end() ? std::nullopt : std::optional(in->second);
}

void SimplifyMemo::keep(const Expr& e, const Ranges& ranges, std::size_t context,
                        const Expr& result) {
    if (m_kept >= mostKept)
        forget();
    SimplifiedForms& known = m_known[e];
    if (known.vars.empty() && known.in.empty() && !known.anywhere) {
        const std::set<Symbol> vars = freeVars(e);
        known.vars.assign(vars.begin(), vars.end());
    }
    ++m_kept;
    if (sayNothingOf(known.vars, ranges))
        known.anywhere = result;
    else
        known.in.insert_or_assign(context, result);
}

} // namespace fw
