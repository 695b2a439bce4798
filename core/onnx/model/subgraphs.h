// The graphs inside the attributes of a node: bodies of If, Loop, Scan and their like. They read
// values of the graph around them by name.
#pragma once

#include "onnx/model/proto.h"

#include <map>
#include <set>
#include <string>

namespace fw {

bool hasSubgraphs(const proto::NodeProto& node);

// Calls `visit(GraphProto&)` for each graph directly inside the attributes of `node`, which may be
// const.
template <class Node, class Visit>
void forSubgraphs(Node& node, const Visit& visit) {
    if constexpr (std::is_const_v<Node>) {
        for (const auto& attribute : node.attribute()) {
            if (attribute.has_g())
                visit(attribute.g());
            for (const auto& body : attribute.graphs())
                visit(body);
        }
    } else {
        for (auto& attribute : *node.mutable_attribute()) {
            if (attribute.has_g())
                visit(*attribute.mutable_g());
            for (auto& body : *attribute.mutable_graphs())
                visit(body);
        }
    }
}

// Names that sub-graphs of any depth read and none of them defines.
std::set<std::string> capturedNames(const proto::NodeProto& node);
std::set<std::string> capturedNames(const proto::GraphProto& body); // of one of them
// Names that they define: no value outside may have one of these.
std::set<std::string> innerNames(const proto::NodeProto& node);
// Gives captured values other names; what a sub-graph defines itself keeps its own.
void renameCaptured(proto::NodeProto& node, const std::map<std::string, std::string>& names);

} // namespace fw
