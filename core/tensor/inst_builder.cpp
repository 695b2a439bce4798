#include "tensor/inst_builder.h"

#include "expr/simplify.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

InstBuilder::InstBuilder(const OpTree& op, const std::string& file, const Binding& binding)
    : m_op(op), m_file(file), m_binding(binding) {
    for (const BoundTensor& tensor : binding.tensors) {
        m_inst.inputs.push_back({tensor.name, tensor.type});
        m_taken.insert(tensor.name);
        m_params[tensor.name] = {tensor.name, tensor.type, tensor.items, tensor.slots};
        take(tensor.type.shape);
    }
    for (const BoundOutput& out : binding.outputs) {
        m_inst.outputs.push_back({out.name, out.type});
        m_taken.insert(out.name);
        take(out.type.shape);
    }
    for (const auto& [name, value] : binding.names) {
        if (const auto* dim = std::get_if<Expr>(&value))
            take({*dim});
        else if (const auto* dims = std::get_if<Exprs>(&value))
            take(*dims);
    }
}

void InstBuilder::take(const Exprs& dims) {
    for (const Expr& dim : dims)
        for (const Symbol var : freeVars(dim))
            m_taken.insert(var.text());
}

Symbol InstBuilder::freshName(const std::string& wish) {
    std::string name = wish;
    for (int& n = m_counted[wish]; !m_taken.insert(name).second;)
        name = fmt::format("{}_{}", wish, ++n);
    return name;
}

void InstBuilder::makeAxes(const Local& local, const Shape& extents, Names& locals,
                           std::vector<Axis>& axes) {
    Exprs vars;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const Symbol var = freshName(local.pack ? local.name + std::to_string(i) : local.name);
        axes.push_back({var, extents[i]});
        vars.push_back(varExpr(var));
    }
    if (local.pack)
        locals[local.name] = std::move(vars);
    else
        locals[local.name] = vars.at(0);
}

const Readable* InstBuilder::readable(const std::string& name, const Statement& in) const {
    const auto written = m_written.find(name);
    if (written != m_written.end())
        return &written->second;
    const auto param =
        m_params.find(in.tree.each == name ? name + std::to_string(in.element) : name);
    return param == m_params.end() ? nullptr : &param->second;
}

Ranges InstBuilder::ranges(const std::vector<Axis>& axes) {
    if (!m_known) {
        m_known.emplace();
        for (const Assumption& assumption : m_binding.assumptions)
            m_known->assume(assumption.condition);
        // Operands exist, so their extents are none below 0: N - 1, say.
        for (const BoundTensor& tensor : m_binding.tensors)
            for (const Dim& dim : tensor.type.shape)
                if (!dim.isInt() && !proveNonNegative(dim))
                    m_known->assume(leExpr(Expr(0), dim));
    }
    Ranges out = *m_known;
    for (const Axis& axis : axes)
        out.push(axis.var, Expr(0), axis.extent - Expr(1));
    return out;
}

Expr InstBuilder::sumBefore(const std::string& dim, const Exprs& extents, std::size_t count) {
    Exprs& sums = m_sums[dim];
    if (sums.empty()) {
        sums.emplace_back(0);
        for (const Expr& extent : extents)
            sums.push_back(sums.back() + extent);
    }
    return sums[std::min(count, extents.size())];
}

} // namespace fw
