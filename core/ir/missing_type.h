// Results of operators that are not known. Where a model declares no type for them one is made up,
// so that the graph stays typed; nothing may be derived from it.
#pragma once

#include "ir/graph.h"

namespace fw {

// Attributes of an unknown node: results of which nothing, or the element type alone, is known.
inline constexpr const char* untypedOutputsKey = "untyped_outputs";
inline constexpr const char* unrankedOutputsKey = "unranked_outputs";

struct MissingType {
    bool element = false; // the element type is made up as well
    std::string why;      // "nothing infers the type of c: com.me.MyConv (mc) is not known"
    std::string value;    // c, whose type would tell that of the others
};

// Asked of many values of one graph, which may grow meanwhile: each is looked at once.
class MissingTypes {
public:
    explicit MissingTypes(const Graph& graph) : m_graph(graph) {}

    // nullopt: the type of the value is known.
    std::optional<MissingType> find(ValueRef value);
    // TypeUnknown if the node is not understood because of an operand whose type is not known, with
    // the operator that is the cause.
    std::optional<Diag> readBy(const Node& node);

private:
    const Graph& m_graph;
    std::map<ValueRef, std::shared_ptr<const MissingType>> m_causes;
};

std::optional<MissingType> missingType(const Graph& graph, ValueRef value);

} // namespace fw
