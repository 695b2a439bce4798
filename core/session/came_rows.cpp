#include "session/came_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

using namespace snapshot;

namespace {

constexpr std::size_t mostCame = 1000;

// In the order in which they are listed; `said` with the places that it happened at.
struct HowRow {
    CameHow how;
    const char *one, *many;
};
const HowRow howRows[] = {
    {"passed", "passes", "passes"},
    {"failed", "fails", "fails"},
    {"applied", "applied at 1 place", "applied at {} places"},
    {"formed", "made 1 group", "made {} groups"},
    {"used", "used at 1 place", "used at {} places"},
    {"opened", "opened 1 edge", "opened {} edges"},
    {"closed", "closed 1 edge", "closed {} edges"},
    {"undone", "undone at 1 place", "undone at {} places"},
    {"circle", "changes nothing at 1 place", "changes nothing at {} places"},
    {"taken", "taken by others at 1 place", "taken by others at {} places"},
    {"left out", "left out at 1 place", "left out at {} places"},
    {"refused", "refused at 1 place", "refused at {} places"},
    {"ready", "ready and not chosen at 1 place", "ready and not chosen at {} places"},
};

std::size_t rankOf(const CameHow& how) {
    return static_cast<std::size_t>(
        std::find_if(std::begin(howRows), std::end(howRows),
                     [&](const HowRow& row) { return row.how == how; }) -
        std::begin(howRows));
}

} // namespace

void CameRows::add(CameRecord row) {
    if (!m_known.emplace(row.how.text(), row.what, row.why, row.line, row.group.value_or(-1))
             .second)
        return;
    ++m_counts[row.how.text()];
    m_rows.push_back(std::move(row));
}

void CameRows::give(UsesDocument& out) {
    std::stable_sort(m_rows.begin(), m_rows.end(), [](const CameRecord& a, const CameRecord& b) {
        return std::pair(rankOf(a.how), a.group) < std::pair(rankOf(b.how), b.group);
    });
    for (const HowRow& row : howRows)
        if (const auto count = m_counts.find(row.how.text()); count != m_counts.end())
            out.said += (out.said.empty() ? "" : ", ") +
                        (count->second == 1 ? std::string(row.one)
                                            : fmt::format(fmt::runtime(row.many), count->second));
    if (m_rows.empty())
        out.said = m_note.empty() ? "nothing came of it" : m_note;
    if (m_rows.size() > mostCame) {
        out.moreCame = static_cast<std::int64_t>(m_rows.size() - mostCame);
        m_rows.resize(mostCame);
    }
    out.came = std::move(m_rows);
}

std::vector<NodeId> originsOf(const Graph& graph, const std::vector<NodeId>& nodes) {
    std::set<NodeId> out;
    for (const NodeId id : nodes)
        if (const Node* node = graph.find(id))
            out.insert(node->origins.begin(), node->origins.end());
    return {out.begin(), out.end()};
}

Span lineSpan(const TextPlaces& places, int line) {
    const std::string_view text = places.text();
    std::size_t begin = places.offset(line, 1);
    std::size_t end = std::min(text.find('\n', begin), text.size());
    while (begin < end && (text[begin] == ' ' || text[begin] == '\t'))
        ++begin;
    while (end > begin && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r'))
        --end;
    return places.span(begin, end);
}

} // namespace fw
