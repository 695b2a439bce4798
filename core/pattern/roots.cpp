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
    case PatternKind::Bind:
        return rootOperators(p.args[0], table, names, depth + 1);
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
        return false;
    }
    return false;
}

} // namespace fw
