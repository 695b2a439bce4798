// Graphs in tests: evaluated by the reference of each operator, and compared without regard to
// names.
#pragma once

#include "expr/simplify.h"
#include "ir/bound_dims.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace fw::test {

inline Exprs fixed(Exprs dims, const Substitution& values) {
    for (Expr& dim : dims)
        dim = simplify(substitute(dim, values));
    return dims;
}

// Results of a graph without free dimensions but those that it binds; inputs in the graph's order.
inline Result<std::vector<TensorData>> evaluateBound(const Graph& graph,
                                                     const std::vector<TensorData>& inputs) {
    std::map<ValueRef, TensorData> values;
    Substitution dims;
    for (std::size_t i = 0; i < inputs.size() && i < graph.inputs().size(); ++i)
        values[{graph.inputs()[i], 0}] = inputs[i];
    for (const NodePtr& node : graph.nodes()) {
        if (node->isInput())
            continue;
        if (node->isConstant()) {
            values[{node->id, 0}] = *node->data;
            continue;
        }
        OpCall call;
        call.attrs = node->attrs;
        std::vector<const TensorData*> operands;
        for (const ValueRef& input : node->inputs) {
            operands.push_back(input.valid() ? &values.at(input) : nullptr);
            call.inputs.push_back(input.valid() ? std::optional(values.at(input).type())
                                                : std::nullopt);
        }
        for (const auto& [name, value] : node->attrs)
            if (const auto* exprs = std::get_if<Exprs>(&value); exprs && !dims.empty())
                call.attrs.set(name, fixed(*exprs, dims));
        auto results = graph.operators().find(node->op)->reference(call, operands);
        if (!results)
            return results.takeDiag().at({{}, node->name});
        for (std::size_t i = 0; i < results->size(); ++i) {
            if (fixedExtents(fixed(node->outputs[i].type.shape, dims)) != (*results)[i].extents() ||
                node->outputs[i].type.dtype != (*results)[i].dtype())
                return makeDiag(DiagCode::ShapeMismatch,
                                fmt::format("inferred {}, computed {}",
                                            node->outputs[i].type.text(),
                                            (*results)[i].type().text()),
                                {{}, node->name});
            values[{node->id, static_cast<int>(i)}] = std::move((*results)[i]);
        }
        const std::vector<Symbol> bound = dimsBoundBy(graph.operators(), *node);
        for (std::size_t i = 0; i < bound.size(); ++i)
            dims.emplace(bound[i], intExpr(values.at({node->id, 0}).integerAt(i)));
    }
    std::vector<TensorData> out;
    for (const NamedValue& result : graph.results())
        out.push_back(values.at(result.value));
    return out;
}

// A hash per result of all it is computed from: operators, attributes, types and constants, no
// names.
inline std::vector<std::string> meaning(const Graph& graph) {
    std::map<ValueRef, std::string> values;
    for (const NodePtr& node : graph.nodes()) {
        std::string text = node->op + node->attrs.print();
        if (node->isInput())
            text += node->outputs[0].name;
        if (node->data)
            text += node->data->hash().hex();
        for (const ValueRef& input : node->inputs)
            text += "(" + (input.valid() ? values.at(input) : "-") + ")";
        for (std::size_t i = 0; i < node->outputs.size(); ++i)
            values[{node->id, static_cast<int>(i)}] =
                hashOf(text + std::to_string(i) + node->outputs[i].type.text()).hex();
    }
    std::vector<std::string> out;
    for (const NamedValue& result : graph.results())
        out.push_back(result.name + " " + values.at(result.value));
    return out;
}

inline std::string listing(const Graph& graph) { // for messages
    std::string out;
    for (const NodePtr& node : graph.nodes()) {
        out += "\n" + node->name + " = " + node->op + node->attrs.print() + "(";
        for (const ValueRef& input : node->inputs)
            out += (input.valid() ? graph.output(input).name : "-") + " ";
        out += ")";
        for (const Output& output : node->outputs)
            out += " " + output.name + ": " + output.type.text();
    }
    return out;
}

// The lines of both listings that the other one does not have.
inline std::string listingDifference(const Graph& before, const Graph& after) {
    const auto lines = [](const std::string& text) {
        std::set<std::string> out;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            out.insert(text.substr(at, end - at));
            at = end + 1;
        }
        return out;
    };
    const auto a = lines(listing(before));
    const auto b = lines(listing(after));
    std::string out;
    for (const std::string& line : a)
        if (!b.contains(line))
            out += "\n- " + line;
    for (const std::string& line : b)
        if (!a.contains(line))
            out += "\n+ " + line;
    return out;
}

} // namespace fw::test
