// The selected operators with what they read from outside and what leaves them.
#pragma once

#include "sketch/sketch.h"

namespace fw {

struct SketchPart {
    const Graph* graph = nullptr;
    std::vector<NodeId> nodes;      // operators, in the order of the graph
    std::vector<ValueRef> operands; // from outside, in order of first use
    std::vector<ValueRef> results;  // read outside, results of the graph, or read by nobody
    std::vector<ValueRef> ends;     // of the results: those that no operator of the part reads
    std::map<ValueRef, std::string> names; // of operands, of results, and of inner values
    std::map<NodeId, std::string> labels;  // of operators: "conv2d", "conv2d_2"

    bool has(ValueRef value) const { return labels.contains(value.node); }
    const Node& node(NodeId id) const { return graph->node(id); }
    std::size_t readers(ValueRef value) const; // among the operators of the part, with repetition
};

Result<SketchPart> partOfSelection(const Graph& graph, const std::vector<NodeId>& nodes,
                                   const std::set<std::string>& taken);

} // namespace fw
