#include "ir/missing_type.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

std::optional<MissingType> missingType(const Graph& graph, ValueRef value) {
    if (!value.valid() || !graph.node(value.node).isUnknown())
        return std::nullopt;
    const Node& node = graph.node(value.node);
    for (const char* key : {untypedOutputsKey, unrankedOutputsKey}) {
        const AttrValue* given = node.attrs.find(key);
        const auto* outputs = given != nullptr ? std::get_if<Integers>(given) : nullptr;
        if (outputs == nullptr ||
            std::find(outputs->begin(), outputs->end(), value.output) == outputs->end())
            continue;
        // What reads such a value is not understood either: the first one is to blame.
        for (const ValueRef& input : node.inputs)
            if (auto before = missingType(graph, input))
                return MissingType{true, before->why};
        const bool element = key == untypedOutputsKey;
        return MissingType{element,
                           fmt::format("nothing infers the {} {}: {} ({}) is not known",
                                       element ? "type of" : "shape of", graph.output(value).name,
                                       node.shownOp(), node.name)};
    }
    return std::nullopt;
}

} // namespace fw
