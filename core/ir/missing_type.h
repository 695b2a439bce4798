// Results of operators that are not known. Where a model declares no type for them one is made up,
// so that the graph stays typed; nothing may be derived from it.
#pragma once

#include "ir/graph.h"

namespace fw {

// Attributes of an unknown node: results of which nothing, or the element type alone, is known.
inline constexpr const char* untypedOutputsKey = "untyped_outputs";
inline constexpr const char* unrankedOutputsKey = "unranked_outputs";
// For each result the type that the model declares, where nothing here has such values: "text[N]",
// "sequence of f32". Empty for the others.
inline constexpr const char* foreignTypesKey = "foreign_types";

// An input or a constant of the model of such a type stands in the graph as an unknown node without
// operands, of the operator "input" or "constant". Its one result has no type of ours. An input
// stays when nobody reads it, as those of the graph do.
inline constexpr const char* leafKey = "leaf";   // attribute: "input" or "constant"
inline constexpr const char* placeKey = "place"; // of such an input among all inputs of the model
bool isForeignInput(const Node& node);
bool isForeignConstant(const Node& node);
inline bool isForeignLeaf(const Node& node) {
    return isForeignInput(node) || isForeignConstant(node);
}
// The inputs of the model in their order, those of foreign types among them.
std::vector<NodeId> modelInputs(const Graph& graph);
std::string foreignType(const Node& node, int output); // empty: it has none
// As the model has it: "text[2]" or "f32[2]"; "f32[...]" without a shape, "unknown" without a type.
std::string shownType(const Graph& graph, ValueRef value);

struct MissingType {
    bool element = false; // the element type is made up as well
    std::string why;      // "nothing infers the type of c: com.me.MyConv (mc) is not known"
    std::string value;    // c, whose type would tell that of the others
    std::string foreign;  // its type where that is none of ours: "text[2]"
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
