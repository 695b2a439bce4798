#include "ir/graph_text.h"

#include <fmt/format.h>

namespace fw {

namespace {

std::string nameText(const std::string& name) {
    return name == "none" || name == "_" ? quoteText(name) : nameOrQuoted(name);
}

std::string constantText(const Node& node, std::size_t written) {
    const TensorData& data = *node.data;
    const auto elements = elementsText(data, written);
    const std::string value =
        elements ? *elements
                 : fmt::format("@{} hash \"{}\"", quoteText(node.name), data.hash().hex());
    return fmt::format("const {} : {}", value, data.type().text());
}

// Empty if a reader would find the same.
std::string originsText(const Node& node, std::size_t position) {
    if (node.origins.size() == 1 && node.origins[0] == static_cast<NodeId>(position))
        return {};
    std::string out;
    for (const NodeId id : node.origins)
        out += fmt::format("{}{}", out.empty() ? "" : ", ", id);
    return " @from(" + out + ")";
}

std::string callText(const Graph& graph, const Node& node) {
    std::string operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        operands += (i > 0 ? ", " : "") + (node.inputs[i].valid()
                                               ? nameText(graph.output(node.inputs[i]).name)
                                               : std::string("none"));
    if (!node.isUnknown())
        return fmt::format("{}({}){}{}", node.op, operands, node.attrs.empty() ? "" : " ",
                           node.attrs.print());
    Attrs attrs = node.attrs;
    attrs.erase("domain");
    attrs.erase("op_type");
    std::string out = fmt::format("unknown {} {}({}){}{}", quoteText(node.attrs.text("domain", {})),
                                  quoteText(node.attrs.text("op_type", {})), operands,
                                  attrs.empty() ? "" : " ", attrs.print());
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        out += (i == 0 ? " : " : ", ") + node.outputs[i].type.text();
    return out;
}

std::string bodyText(const Body& body, std::size_t written) {
    std::string operands;
    for (const int operand : body.operands)
        operands += (operands.empty() ? "" : ", ") +
                    (operand < 0 ? std::string("none") : std::to_string(operand));
    const std::string text = fmt::format("body {}({}) {}", nameOrQuoted(body.name), operands,
                                         printGraph(*body.graph, written));
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        out += "\n    " + text.substr(at, end - at);
        at = end + 1;
    }
    return out;
}

std::string nodeText(const Graph& graph, const Node& node, std::size_t position,
                     std::size_t written) {
    std::string results;
    for (const Output& output : node.outputs)
        results += (results.empty() ? "" : ", ") + nameText(output.name);
    if (node.outputs.size() != 1)
        results = "(" + results + ")";
    if (node.isConstant())
        return fmt::format("{} = {}{}", results, constantText(node, written),
                           originsText(node, position));
    std::string out = fmt::format("{} = {} @node({}){}", results, callText(graph, node),
                                  quoteText(node.name), originsText(node, position));
    if (!node.isUnknown() && !node.outputs.empty())
        out += "   # " + node.outputs[0].type.text();
    for (const Body& body : node.bodies)
        out += bodyText(body, written);
    return out;
}

} // namespace

std::string printGraph(const Graph& graph, std::size_t written) {
    std::string inputs, results;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
        const Node& node = graph.node(graph.inputs()[i]);
        const Output& output = node.outputs.at(0);
        inputs += fmt::format("{}{}: {}{}", i == 0 ? "" : ", ", nameText(output.name),
                              output.type.text(), originsText(node, i));
    }
    for (const NamedValue& result : graph.results()) {
        const std::string& value = graph.output(result.value).name;
        results += results.empty() ? "" : ", ";
        results += nameText(result.name);
        if (value != result.name)
            results += " = " + nameText(value);
    }
    std::string out =
        fmt::format("graph {}({}) -> {} {{\n", nameOrQuoted(graph.name()), inputs, results);
    for (const Assumption& assumption : graph.assumptions()) {
        out += fmt::format("  assume {}", assumption.condition.text());
        if (!assumption.sentence.empty())
            out += " " + quoteText(assumption.sentence);
        if (!assumption.node.empty())
            out += fmt::format(" @node({})", quoteText(assumption.node));
        out += "\n";
    }
    std::size_t position = graph.inputs().size();
    for (const NodePtr& node : graph.nodes())
        if (!node->isInput())
            out += "  " + nodeText(graph, *node, position++, written) + "\n";
    return out + "}\n";
}

} // namespace fw
