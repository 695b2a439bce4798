#include "pattern/circles.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

class Walk {
public:
    Walk(const PatternDeclTree& start, const PatternTable& table) : m_start(start), m_table(table) {
        m_way.push_back(start.name);
    }

    std::string run() {
        follow(m_start.pattern);
        return m_found;
    }

private:
    // True if the walk is over.
    bool follow(const PatternTree& p) {
        const bool refers =
            (p.kind == PatternKind::Call && !p.ofKind) || p.kind == PatternKind::Capture;
        if (refers && p.name == m_start.name) {
            m_found = m_start.name + " is made of itself";
            if (m_way.size() > 1)
                m_found += fmt::format(": {}, {}", way(), m_start.name);
            return true;
        }
        if (refers)
            if (const auto declared = m_table.find(p.name);
                declared != m_table.end() && m_seen.insert(p.name).second) {
                m_way.push_back(p.name);
                if (m_way.size() > static_cast<std::size_t>(deepestNames)) {
                    m_found = fmt::format("{} names more than {} others, one inside the other: {}",
                                          m_start.name, deepestNames, way());
                    return true;
                }
                if (follow(declared->second->pattern))
                    return true;
                m_way.pop_back();
            }
        return std::any_of(p.args.begin(), p.args.end(),
                           [&](const PatternTree& part) { return follow(part); });
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
    std::vector<std::string> m_way;
    std::set<std::string, std::less<>> m_seen;
    std::string m_found;
};

} // namespace

std::string endlessNames(const PatternDeclTree& declaration, const PatternTable& table) {
    return Walk(declaration, table).run();
}

} // namespace fw
