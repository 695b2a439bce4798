#include "ir/bound_dims.h"

#include <algorithm>

namespace fw {

std::vector<Symbol> dimsBoundBy(const OperatorSet& operators, const Node& node) {
    std::vector<Symbol> out;
    if (!operators.bindsDims(node.op))
        return out;
    if (const AttrValue* value = node.attrs.find("dims"))
        if (const auto* dims = std::get_if<Exprs>(value))
            for (const Expr& dim : *dims)
                if (dim.isVar())
                    out.push_back(dim->symbol);
    return out;
}

std::set<Symbol> dimsIn(const Node& node) {
    std::set<Symbol> out;
    const auto add = [&](const Exprs& dims) {
        for (const Expr& dim : dims)
            if (!dim.isInt())
                out.merge(freeVars(dim));
    };
    for (const auto& [name, value] : node.attrs)
        if (const auto* dims = std::get_if<Exprs>(&value))
            add(*dims);
    for (const Output& output : node.outputs)
        add(output.type.shape);
    return out;
}

std::map<Symbol, NodeId> bindersOf(const Graph& graph) {
    std::map<Symbol, NodeId> out;
    for (const NodePtr& node : graph.nodes())
        for (const Symbol dim : dimsBoundBy(graph.operators(), *node))
            out.emplace(dim, node->id);
    return out;
}

BindingLevels::BindingLevels(const Graph& graph) {
    const std::map<Symbol, NodeId> binders = bindersOf(graph);
    if (binders.empty())
        return;
    for (const NodePtr& node : graph.nodes()) {
        int level = 0;
        for (const ValueRef& input : node->inputs)
            if (input.valid())
                level = std::max(level, of(input.node));
        for (const Symbol dim : dimsIn(*node))
            if (const auto binder = binders.find(dim);
                binder != binders.end() && binder->second != node->id)
                level = std::max(level, of(binder->second) + 1);
        if (level > 0)
            m_levels.emplace(node->id, level);
        m_highest = std::max(m_highest, level);
    }
}

int BindingLevels::of(NodeId id) const {
    const auto found = m_levels.find(id);
    return found == m_levels.end() ? 0 : found->second;
}

} // namespace fw
