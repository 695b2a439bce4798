#include "verdict/vary_graph.h"

#include <algorithm>
#include <map>

namespace fw {

namespace {

void vary(Integers& list, Random& random) {
    if (list.empty())
        return;
    if (random.chance(50)) {
        const std::size_t by = random.chance(50) ? list.size() / 2 : 1;
        std::rotate(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(by % list.size()),
                    list.end());
        return;
    }
    const std::int64_t by = random.chance(70) ? 1 : -1;
    list[random.below(list.size())] += by;
    if (random.chance(60)) // from one place to another: most shapes stay
        list[random.below(list.size())] -= by;
}

std::optional<AttrValue> varied(AttrValue value, Random& random) {
    if (auto* integer = std::get_if<std::int64_t>(&value))
        *integer += random.chance(60) ? 1 : -1;
    else if (auto* real = std::get_if<double>(&value))
        *real = random.chance(50) ? *real / 2 : *real + 0.5;
    else if (auto* list = std::get_if<Integers>(&value))
        vary(*list, random);
    else
        return std::nullopt;
    return value;
}

} // namespace

std::optional<GraphPtr> variedGraph(const Graph& graph, Random& random) {
    std::vector<std::pair<NodeId, std::string>> attributes;
    for (const NodePtr& node : graph.nodes())
        if (const Operator* op = node->isLeaf() ? nullptr : graph.operators().find(node->op))
            for (const std::string& name : op->attrNames())
                attributes.emplace_back(node->id, name);
    if (attributes.empty())
        return std::nullopt;
    const auto& [changed, attribute] = attributes[random.below(attributes.size())];
    GraphEditor editor(graph.operatorSet(), "drawn");
    std::map<ValueRef, ValueRef> copies;
    for (const NodePtr& node : graph.nodes()) {
        const Output& first = node->outputs[0];
        if (node->isInput()) {
            copies[{node->id, 0}] = editor.addInput(first.name, first.type);
            continue;
        }
        if (node->isConstant()) {
            copies[{node->id, 0}] = editor.addConstant(first.name, *node->data);
            continue;
        }
        GraphEditor::NewNode copy;
        copy.op = node->op;
        copy.attrs = node->attrs;
        if (node->id == changed) {
            const AttrValue* written = node->attrs.find(attribute);
            const auto value = written != nullptr
                                   ? std::optional(*written)
                                   : graph.operators().find(node->op)->attrDefault(attribute);
            const auto other = value ? varied(*value, random) : std::nullopt;
            if (!other)
                return std::nullopt;
            copy.attrs.set(attribute, *other);
        }
        for (const ValueRef& input : node->inputs)
            copy.inputs.push_back(input.valid() ? copies.at(input) : input);
        const Result<std::vector<ValueRef>> values = editor.add(std::move(copy));
        if (!values)
            return std::nullopt;
        for (std::size_t i = 0; i < values->size(); ++i)
            copies[{node->id, static_cast<int>(i)}] = (*values)[i];
    }
    for (const NamedValue& result : graph.results())
        editor.addResult(result.name, copies.at(result.value));
    Result<GraphPtr> out = editor.finish();
    return out ? std::optional(out.take()) : std::nullopt;
}

} // namespace fw
