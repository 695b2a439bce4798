#include "module/assumption_text.h"

#include <fmt/format.h>

namespace fw {

namespace {

// What the operands that the sentence calls by the names of the operator are in the graph.
std::string operandsText(const Graph& graph, const std::string& name) {
    const Node* node = name.empty() ? nullptr : graph.findByName(name);
    const Operator* known = node != nullptr ? graph.operators().find(node->op) : nullptr;
    const std::vector<std::string> names =
        known != nullptr ? known->inputNames() : std::vector<std::string>();
    std::string out;
    for (std::size_t i = 0; i < names.size() && i < node->inputs.size(); ++i)
        if (node->inputs[i].valid())
            out += fmt::format("{} {} is '{}'", out.empty() ? ";" : ",", names[i],
                               graph.output(node->inputs[i]).name);
    return out;
}

} // namespace

// The sentence begins with the operator, which a node is often named after.
std::string assumptionText(const Graph& graph, const Assumption& assumption) {
    const std::string node = assumption.node + ": ";
    return (assumption.node.empty() || assumption.sentence.starts_with(node) ? "" : node) +
           assumption.sentence + operandsText(graph, assumption.node);
}

} // namespace fw
