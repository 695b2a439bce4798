// Free dimensions whose values the graph itself computes: a node that binds them
// (Operator::bindsDims) gives them their values when it has run. Who reads one waits for that node
// without reading a value of it.
#pragma once

#include "ir/graph.h"

#include <map>
#include <set>

namespace fw {

inline constexpr std::int64_t largestBoundDim = std::int64_t(1) << 31;

// Those that the node binds, in the order of its elements; empty for most.
std::vector<Symbol> dimsBoundBy(const OperatorSet& operators, const Node& node);

// Every free dimension in attributes and types of the node.
std::set<Symbol> dimsIn(const Node& node);

// The nodes that bind, by what they bind.
std::map<Symbol, NodeId> bindersOf(const Graph& graph);

// How many nodes that bind have to run one after another before a node can: 0 where none has to.
// Nodes of a lower level never wait for one of a higher.
class BindingLevels {
public:
    explicit BindingLevels(const Graph& graph);

    int of(NodeId id) const;
    int highest() const { return m_highest; }

private:
    std::map<NodeId, int> m_levels; // those that are not 0
    int m_highest = 0;
};

} // namespace fw
