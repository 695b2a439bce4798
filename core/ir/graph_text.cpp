#include "ir/graph_text.h"

#include "base/numbers.h"

#include <fmt/format.h>

namespace fw {

namespace {

constexpr std::size_t inlineElements = 16;

bool isIdentifier(const std::string& name) {
    if (name.empty() || (std::isdigit(static_cast<unsigned char>(name[0])) != 0))
        return false;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_')
            return false;
    return true;
}

std::string quoted(const std::string& name) {
    std::string out = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\')
            out += '\\';
        if (static_cast<unsigned char>(c) < 32)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out + "\"";
}

std::string nameText(const std::string& name) {
    return isIdentifier(name) ? name : quoted(name);
}

std::string elements(const TensorData& data) {
    std::string out = "[";
    for (std::size_t i = 0; i < data.count(); ++i) {
        out += i > 0 ? ", " : "";
        out += isFloat(data.dtype()) ? numberText(data.at(i)) : fmt::format("{}", data.integerAt(i));
    }
    return out + "]";
}

std::string constantText(const Node& node) {
    const TensorData& data = *node.data;
    const bool small = data.count() <= inlineElements && data.dtype() != DType::Text;
    const std::string value = small ? elements(data) : fmt::format("@{} hash {}", quoted(node.name), data.hash().hex());
    return fmt::format("const {} : {}", value, data.type().text());
}

std::string nodeText(const Graph& graph, const Node& node) {
    std::string results;
    for (const Output& output : node.outputs)
        results += (results.empty() ? "" : ", ") + nameText(output.name);
    if (node.outputs.size() != 1)
        results = "(" + results + ")";
    if (node.isConstant())
        return fmt::format("{} = {}", results, constantText(node));
    std::string operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        operands += (i > 0 ? ", " : "") + (node.inputs[i].valid() ? nameText(graph.output(node.inputs[i]).name) : std::string("none"));
    std::string out = fmt::format("{} = {}({})", results, node.op, operands);
    if (!node.attrs.empty())
        out += " " + node.attrs.print();
    if (node.op == "unknown")
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            out += (i == 0 ? " : " : ", ") + node.outputs[i].type.text();
    out += fmt::format(" @node({})", quoted(node.name));
    if (!(node.origins.size() == 1 && node.origins[0] == node.id)) {
        std::string origins;
        for (const NodeId id : node.origins)
            origins += fmt::format("{}{}", origins.empty() ? "" : ", ", id);
        out += fmt::format(" @from({})", origins);
    }
    if (node.op != "unknown")
        out += "   # " + node.outputs.at(0).type.text();
    return out;
}

} // namespace

std::string printGraph(const Graph& graph) {
    std::string inputs, results;
    for (const NodeId id : graph.inputs()) {
        const Output& output = graph.node(id).outputs.at(0);
        inputs += fmt::format("{}{}: {}", inputs.empty() ? "" : ", ", nameText(output.name), output.type.text());
    }
    for (const NamedValue& result : graph.results()) {
        const std::string& value = graph.output(result.value).name;
        results += results.empty() ? "" : ", ";
        results += nameText(result.name);
        if (value != result.name)
            results += " = " + nameText(value);
    }
    std::string out = fmt::format("graph {}({}) -> {} {{\n", nameText(graph.name()), inputs, results);
    for (const NodePtr& node : graph.nodes())
        if (!node->isInput())
            out += "  " + nodeText(graph, *node) + "\n";
    return out + "}\n";
}

} // namespace fw
