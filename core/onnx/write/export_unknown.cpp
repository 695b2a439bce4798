// "unknown" nodes, as they were read: with the names that their sub-graphs use for outer values.
#include "onnx/model/names.h"
#include "onnx/model/subgraphs.h"
#include "onnx/write/graph_writer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fw {

namespace {

Status unknown(GraphWriter& out, const Node& node) {
    const UnknownSpelling& spelling = out.spelling(node);
    std::vector<std::string> inputs;
    for (const ValueRef& input : node.inputs)
        inputs.push_back(out.use(input));
    // Captured values were added behind the operands.
    std::map<std::string, std::string> captured;
    const std::size_t operands = inputs.size() - spelling.captures.size();
    for (std::size_t i = operands; i < inputs.size(); ++i)
        captured[spelling.captures[i - operands]] = inputs[i];
    inputs.resize(operands);
    for (const auto& [operand, data] : spelling.moved) {
        inputs.resize(std::max(inputs.size(), static_cast<std::size_t>(operand) + 1));
        inputs[static_cast<std::size_t>(operand)] =
            out.initializer(fmt::format("{}.operand{}", node.name, operand), data);
    }
    while (!inputs.empty() && inputs.back().empty())
        inputs.pop_back();
    proto::NodeProto& written = out.add();
    written = spelling.node;
    written.clear_input();
    written.clear_output();
    for (const std::string& input : inputs)
        written.add_input(input);
    std::map<std::string, std::string> renamed; // by the name as the sub-graph spells it
    for (const std::string& name : capturedNames(written))
        if (const auto now = captured.find(cleanText(name)); now != captured.end())
            renamed[name] = now->second;
    renameCaptured(written, renamed);
    int results = static_cast<int>(node.outputs.size());
    while (results > 0 && spelling.absent.contains(results - 1))
        --results;
    for (int i = 0; i < results; ++i) {
        const bool absent = spelling.absent.contains(i);
        const ValueRef value{node.id, i};
        written.add_output(absent ? "" : out.nameOf(value));
        const bool isTold = spelling.declared.contains(i) ||
                            (!spelling.untyped.contains(i) && !spelling.unranked.contains(i));
        if (!absent && isTold)
            out.declareInner(value); // nobody else can tell its type
    }
    out.markDomain(spelling.node.domain(),
                   isStandardDomain(spelling.node.domain()) ? out.opset() : spelling.opset);
    for (const auto& [domain, opset] : spelling.innerOpsets)
        if (!isStandardDomain(domain))
            out.markDomain(domain, opset);
    return {};
}

} // namespace

std::span<const WriterRow> unknownWriters() {
    static constexpr std::array rows{WriterRow{"unknown", unknown}};
    return rows;
}

} // namespace fw
