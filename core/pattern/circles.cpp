#include "pattern/circles.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// Whether every match of p takes an operator before it comes to what stands in front of it.
bool consumes(const PatternTree& p, const PatternTable& table) {
    const auto inner = [&](const PatternTree& part) { return consumes(part, table); };
    switch (p.kind) {
    case PatternKind::Call:
        return p.ofKind || !table.contains(p.name);
    case PatternKind::Associative:
        return true;
    case PatternKind::Bind:
    case PatternKind::Output:
        return inner(p.args[0]);
    case PatternKind::Dominated:
        return inner(p.args[2]);
    case PatternKind::Repeat:
        return p.low > 0 && inner(p.args[0]);
    case PatternKind::Alternatives:
        return std::all_of(p.args.begin(), p.args.end(), inner);
    case PatternKind::Sequence:
        return std::any_of(p.args.begin(), p.args.end(), inner);
    default:
        return false;
    }
}

// Whether some match of a declaration comes to an end, over names that are not met twice on the
// way.
class Ends {
public:
    explicit Ends(const PatternTable& table) : m_table(table) {}

    bool ends(const PatternDeclTree& declaration) {
        if (m_known.contains(declaration.name) || ++m_steps > mostSteps ||
            m_open.size() > static_cast<std::size_t>(deepestNames))
            return true; // too deep is told elsewhere
        if (!m_open.insert(declaration.name).second)
            return false;
        const bool out = ends(declaration.pattern);
        m_open.erase(declaration.name);
        if (out)
            m_known.insert(declaration.name);
        return out;
    }

private:
    bool ends(const PatternTree& p) {
        const auto inner = [&](const PatternTree& part) { return ends(part); };
        if (p.kind == PatternKind::Optional || (p.kind == PatternKind::Repeat && p.low == 0))
            return true;
        if (p.kind == PatternKind::Alternatives)
            return std::any_of(p.args.begin(), p.args.end(), inner);
        const auto declared = refers(p) ? m_table.find(p.name) : m_table.end();
        return (declared == m_table.end() || ends(*declared->second)) &&
               std::all_of(p.args.begin(), p.args.end(), inner);
    }

    static constexpr int mostSteps = 10000;
    const PatternTable& m_table;
    std::set<std::string> m_open, m_known;
    int m_steps = 0;
};

enum class Looking : std::uint8_t {
    Unguarded, // back to the start over names that are met before an operator
    Circle,    // back to the start
    Depth,
};

class Walk {
public:
    Walk(const PatternDeclTree& start, const PatternTable& table, Looking looking)
        : m_start(start), m_table(table), m_looking(looking) {
        m_way.push_back(start.name);
    }

    // The way that was looked for, or one that is too deep.
    std::string run(std::string_view behind = {}) {
        follow(m_start.pattern);
        return m_found.empty() || m_tooDeep ? m_found : m_found + std::string(behind);
    }

private:
    // True if the walk is over.
    bool follow(const PatternTree& p) {
        if (m_looking != Looking::Depth && refers(p) && p.name == m_start.name) {
            m_found = m_start.name + " is made of itself";
            if (m_way.size() > 1)
                m_found += fmt::format(": {}, {}", way(), m_start.name);
            return true;
        }
        if (refers(p))
            if (const auto declared = m_table.find(p.name);
                declared != m_table.end() && m_seen.insert(p.name).second) {
                m_way.push_back(p.name);
                if (m_way.size() > static_cast<std::size_t>(deepestNames)) {
                    m_tooDeep = true;
                    m_found = fmt::format("{} names more than {} others, one inside the other: {}",
                                          m_start.name, deepestNames, way());
                    return true;
                }
                if (follow(declared->second->pattern))
                    return true;
                m_way.pop_back();
            }
        const std::size_t first = m_looking == Looking::Unguarded ? unguardedFrom(p) : 0;
        return std::any_of(p.args.begin() + static_cast<std::ptrdiff_t>(first), p.args.end(),
                           [&](const PatternTree& part) { return follow(part); });
    }

    // Parts before this one stand behind an operator.
    std::size_t unguardedFrom(const PatternTree& p) const {
        if (p.kind == PatternKind::Call || p.kind == PatternKind::Associative)
            return consumes(p, m_table) ? p.args.size() : 0;
        if (p.kind == PatternKind::Dominated)
            return consumes(p.args[2], m_table) ? 2 : 0;
        std::size_t first = p.kind == PatternKind::Sequence ? p.args.size() : 0;
        while (first > 0 && !consumes(p.args[first - 1], m_table))
            --first;
        return first > 0 ? first - 1 : 0;
    }

    std::string way() const {
        constexpr std::size_t shown = 8;
        std::string out;
        for (std::size_t i = 0; i < std::min(m_way.size(), shown); ++i)
            out += (i == 0 ? "" : ", ") + m_way[i];
        return m_way.size() > shown ? fmt::format("{}, ... {}", out, m_way.back()) : out;
    }

    const PatternDeclTree& m_start;
    const PatternTable& m_table;
    const Looking m_looking;
    std::vector<std::string> m_way;
    std::set<std::string, std::less<>> m_seen;
    std::string m_found;
    bool m_tooDeep = false;
};

} // namespace

std::string endlessNames(const PatternDeclTree& declaration, const PatternTable& table) {
    std::string found =
        Walk(declaration, table, Looking::Unguarded).run(", with no operator between");
    if (found.empty() && !Ends(table).ends(declaration))
        found = Walk(declaration, table, Looking::Circle).run(", with no way out");
    return found.empty() ? Walk(declaration, table, Looking::Depth).run() : found;
}

} // namespace fw
