#include "rewrite/rule_reach.h"

#include "pattern/roots.h"

#include <algorithm>

namespace fw {

namespace {

constexpr std::size_t farthest = 64; // operators; behind that all roots are asked

std::optional<std::size_t> depthOf(const PatternTree& p, const PatternTable& table) {
    std::size_t most = 0, sum = 0;
    for (const PatternTree& part : p.args) {
        const auto depth = depthOf(part, table);
        if (!depth)
            return std::nullopt;
        most = std::max(most, *depth);
        sum += *depth;
    }
    std::size_t out = 0;
    switch (p.kind) {
    case PatternKind::Previous:
    case PatternKind::Any:
    case PatternKind::Const:
        break;
    case PatternKind::Capture:
    case PatternKind::Call:
        if (refers(p) && table.contains(p.name))
            return std::nullopt; // declared, and too large or without end
        out = p.kind == PatternKind::Call ? 1 + most : 0;
        break;
    case PatternKind::Bind:
    case PatternKind::Alternatives:
    case PatternKind::Optional:
    case PatternKind::Not:
    case PatternKind::Output:
    case PatternKind::Rest:
        out = most;
        break;
    case PatternKind::Sequence:
        out = sum;
        break;
    case PatternKind::Repeat:
        if (p.high < 0 || static_cast<std::size_t>(p.high) > farthest)
            return std::nullopt;
        out = most * static_cast<std::size_t>(p.high);
        break;
    case PatternKind::Associative: // a tree of as many calls as its operands need
        if (std::any_of(p.args.begin(), p.args.end(),
                        [](const PatternTree& part) { return part.kind == PatternKind::Rest; }))
            return std::nullopt;
        out = p.args.size() - 1 + most;
        break;
    default:
        return std::nullopt; // paths and trees of any length
    }
    return out > farthest ? std::nullopt : std::optional(out);
}

void addNames(const PatternTree& p, std::set<std::string>& names) {
    if (p.kind == PatternKind::Capture || p.kind == PatternKind::Bind)
        names.insert(p.name);
    for (const PatternTree& part : p.args)
        addNames(part, names);
}

// Whether every pattern reads a value that one before it knows.
bool areConnected(const std::vector<NamedPattern>& patterns) {
    std::set<std::string> known;
    for (const NamedPattern& named : patterns) {
        std::set<std::string> names{named.name};
        addNames(named.pattern, names);
        if (!known.empty() && std::none_of(names.begin(), names.end(),
                                           [&](const auto& name) { return known.contains(name); }))
            return false;
        known.merge(names);
    }
    return true;
}

} // namespace

RuleReach reachOf(const RuleTree& rule, const PreparedPatterns& prepared,
                  const PatternTable& table) {
    const std::vector<NamedPattern>& patterns = prepared.all();
    RuleReach out;
    out.anyRoot = prepared.possible().anyOperator();
    out.roots = prepared.possible().operators();
    out.several = patterns.size() > 1;
    out.depth = 0;
    std::size_t calls = 0;
    for (const NamedPattern& named : patterns) {
        const auto depth = depthOf(named.pattern, table);
        out.depth = depth && out.depth ? std::optional(std::max(*depth, *out.depth)) : std::nullopt;
        calls += callCount(named.pattern);
    }
    if (!areConnected(patterns))
        out.depth.reset();
    // Without conditions readers matter to inner values alone, whose readers are all matched.
    if (rule.where.empty() && out.depth)
        out.readers = std::max(calls, *out.depth);
    return out;
}

} // namespace fw
