#include "rewrite/right_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fw {

namespace {

// What is handed over may be read under another name by what takes the place of something else, but
// not lead back to itself: two products side by side become one only if neither reads the other.
class Circles {
public:
    Circles(const RightSide& right, const Graph& graph, const RankOf& rank)
        : m_right(right), m_graph(graph), m_rank(rank), m_nodes(right.nodes.size()) {
        for (const RightSide::Handed& handed : right.handed)
            if (m_rank)
                m_first = std::min(m_first, m_rank(handed.from.node));
        for (std::size_t i = 0; i < right.nodes.size(); ++i)
            for (const RightOperand& operand : right.nodes[i].operands)
                merge(m_nodes[i], readsOf(operand));
    }

    std::optional<Diag> find() {
        const std::size_t count = m_right.handed.size();
        std::vector<Reads> reads(count);
        for (std::size_t i = 0; i < count; ++i)
            if (m_right.handed[i].to.node >= 0 ||
                m_right.handed[i].to.value != m_right.handed[i].from)
                merge(reads[i], readsOf(m_right.handed[i].to));
        for (std::size_t round = 0; round < count; ++round)
            for (Reads& some : reads)
                for (const auto& [other, via] : Reads(some))
                    merge(some, reads[other]);
        for (std::size_t i = 0; i < count; ++i)
            if (const auto own = reads[i].find(i); own != reads[i].end())
                return refusal(m_right.handed[i].from, own->second);
        return std::nullopt;
    }

private:
    using Reads = std::map<std::size_t, ValueRef>; // what is handed over, through which value

    static void merge(Reads& into, const Reads& from) { into.insert(from.begin(), from.end()); }

    Diag refusal(ValueRef from, ValueRef via) const {
        const std::string& name = m_graph.output(from).name;
        return makeDiag(DiagCode::RuleIllegal,
                        via == from
                            ? fmt::format("the right side reads {}, which it replaces", name)
                            : fmt::format("the right side reads {}, which is computed from {}, "
                                          "which it replaces",
                                          m_graph.output(via).name, name),
                        {}, "write what it is computed from");
    }

    Reads readsOf(const RightOperand& operand) {
        if (operand.node >= 0)
            return m_nodes[static_cast<std::size_t>(operand.node)];
        Reads out;
        if (operand.value.valid())
            for (const std::size_t i : replacedBefore(operand.value))
                out.emplace(i, operand.value);
        return out;
    }

    // Those that a value of the snapshot is, or is computed from.
    const std::set<std::size_t>& replacedBefore(ValueRef value) {
        const auto [known, isNew] = m_before.try_emplace(value);
        if (!isNew)
            return known->second;
        for (std::size_t i = 0; i < m_right.handed.size(); ++i)
            if (m_right.handed[i].from == value)
                known->second.insert(i);
        if (m_right.handed.size() < 2 || !known->second.empty())
            return known->second; // a single root is computed from all that is matched
        std::set<NodeId> seen{value.node};
        std::vector<NodeId> open{value.node};
        while (!open.empty()) {
            const NodeId at = open.back();
            open.pop_back();
            if (m_rank && m_rank(at) < m_first)
                continue;
            for (const ValueRef& input : m_graph.node(at).inputs) {
                for (std::size_t i = 0; i < m_right.handed.size(); ++i)
                    if (input.valid() && m_right.handed[i].from == input)
                        known->second.insert(i);
                if (input.valid() && seen.insert(input.node).second)
                    open.push_back(input.node);
            }
        }
        return known->second;
    }

    const RightSide& m_right;
    const Graph& m_graph;
    const RankOf& m_rank;
    std::int64_t m_first = std::numeric_limits<std::int64_t>::max(); // of what is handed over
    std::vector<Reads> m_nodes;
    std::map<ValueRef, std::set<std::size_t>> m_before;
};

} // namespace

std::optional<Diag> circleIn(const RightSide& right, const Graph& graph, const RankOf& rank) {
    return Circles(right, graph, rank).find();
}

} // namespace fw
