#include "pattern/roots.h"

#include <algorithm>

namespace fw {

bool rootOperators(const PatternTree& p, const PatternTable& table, std::set<std::string>& names,
                   int depth) {
    if (depth > 20)
        return false;
    switch (p.kind) {
    case PatternKind::Call:
        if (p.ofKind)
            return false;
        if (const auto declared = table.find(p.name); declared != table.end())
            return rootOperators(declared->second->pattern, table, names, depth + 1);
        names.insert(p.name);
        return true;
    case PatternKind::Associative:
        names.insert(p.name);
        return true;
    case PatternKind::Bind:
    case PatternKind::Output:
        return rootOperators(p.args[0], table, names, depth + 1);
    case PatternKind::Dominated:
        return rootOperators(p.args[2], table, names, depth + 1);
    case PatternKind::Sequence:
        for (std::size_t i = p.args.size(); i-- > 0;) {
            // An absent step leaves the one before it at the root.
            const PatternTree& step = p.args[i];
            const bool absent = step.kind == PatternKind::Optional ||
                                (step.kind == PatternKind::Repeat && step.low == 0);
            const bool wraps =
                step.kind == PatternKind::Optional || step.kind == PatternKind::Repeat;
            if (!rootOperators(wraps ? step.args[0] : step, table, names, depth + 1))
                return false;
            if (!absent)
                return true;
        }
        return false;
    case PatternKind::Alternatives:
        return std::all_of(p.args.begin(), p.args.end(), [&](const PatternTree& option) {
            return rootOperators(option, table, names, depth + 1);
        });
    case PatternKind::Previous:
    case PatternKind::Any:
    case PatternKind::Const:
    case PatternKind::Capture:
    case PatternKind::Optional:
    case PatternKind::Repeat:
    case PatternKind::Rest:
    case PatternKind::Not:
        return false;
    }
    return false;
}

namespace {

// Which result of its operator a match has at its root; -1: any.
int rootOutput(const PatternTree& p, const PatternTable& table, int depth = 0) {
    const auto declared = refers(p) ? table.find(p.name) : table.end();
    if (depth > 20)
        return -1;
    if (declared != table.end())
        return rootOutput(declared->second->pattern, table, depth + 1);
    switch (p.kind) {
    case PatternKind::Output:
        return static_cast<int>(p.low);
    case PatternKind::Bind:
    case PatternKind::Optional:
    case PatternKind::Repeat:
        return rootOutput(p.args[0], table, depth + 1);
    case PatternKind::Dominated:
        return rootOutput(p.args[2], table, depth + 1);
    case PatternKind::Sequence:
    case PatternKind::Alternatives: {
        // A step may be absent, so any of them may be the last one.
        const int first = rootOutput(p.args[0], table, depth + 1);
        const bool equal = std::all_of(p.args.begin(), p.args.end(), [&](const PatternTree& part) {
            return rootOutput(part, table, depth + 1) == first;
        });
        return equal ? first : -1;
    }
    default:
        return 0;
    }
}

} // namespace

PossibleRoots::PossibleRoots(const PatternTree& pattern, const PatternTable& table)
    : m_any(!rootOperators(pattern, table, m_operators)), m_output(rootOutput(pattern, table)) {}

std::vector<ValueRef> PossibleRoots::at(const Node& node) const {
    std::vector<ValueRef> out;
    if (node.isInput() || node.isConstant() || (!m_any && !m_operators.contains(node.op)))
        return out;
    for (int k = 0; k < static_cast<int>(node.outputs.size()); ++k)
        if (m_output < 0 || k == m_output)
            out.push_back({node.id, k});
    return out;
}

} // namespace fw
