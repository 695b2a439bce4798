// The loops of a kernel as rows for people: which loop lies in which, what is computed where, what
// is held meanwhile. Conditions are left out: both sides of one are listed.
#pragma once

#include "fusion/plan.h"
#include "snapshot/schedule_records.h"

namespace fw {

class LoopRows {
public:
    // `most`: rows that are kept; others are counted.
    LoopRows(const Graph& graph, std::size_t most) : m_graph(graph), m_most(most) {}

    // Of the group, whose code this is, at `depth`.
    void add(const KernelCode& code, const Group& group, int depth);
    void part(const std::string& what, const std::vector<NodeId>& nodes, int depth);

    std::vector<snapshot::LoopRow> take() { return std::move(m_rows); }
    std::int64_t more() const { return m_more; }

private:
    void push(snapshot::LoopRow row);
    void walk(const Stmt& statement, int depth, const std::vector<NodeId>& nodes);
    void named(snapshot::LoopRow& row, const std::vector<NodeId>& nodes) const;
    std::vector<NodeId> idsOf(const std::vector<std::int64_t>& positions) const;

    const Graph& m_graph;
    std::size_t m_most;
    const Group* m_group = nullptr; // whose code is walked
    std::vector<snapshot::LoopRow> m_rows;
    std::int64_t m_more = 0;
};

// What the code holds at most; nullopt: it depends on free dimensions.
std::optional<snapshot::HeldRecord> heldBy(const KernelCode& code);

} // namespace fw
