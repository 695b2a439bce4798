#include "onnx/write/function_body.h"

#include "onnx/write/function_expression.h"

#include <algorithm>

#include <fmt/format.h>

namespace fw {

namespace {

FunctionAxes axesOf(const TypeTree& type) {
    FunctionAxes out;
    for (const DimTree& dim : type.dims)
        out.push_back({{}, dimName(dim), dim.value.kind == TreeKind::Pack});
    return out;
}

class FunctionWriter {
public:
    FunctionWriter(const OpTree& op, const OnnxBinding& clause, const CallFacts& facts,
                   std::int64_t opset, proto::FunctionProto& out)
        : m_op(op), m_out(out), m_nodes(named(out, op, facts), opset),
          m_expression(m_nodes, op, clause, facts) {
        for (const ParamTree& param : op.params)
            if (!param.optional || facts.given.at(param.name))
                m_expression.define(param.name, {param.name, facts.kinds.at(param.type.dtype),
                                                 axesOf(param.type), param.bcast});
    }

    Status run() {
        for (const StmtTree& stmt : m_op.stmts)
            FW_CHECK(statement(stmt));
        return {};
    }

private:
    // Before the nodes: they leave these names alone. Operands that no call gives are none of the
    // function where they come last.
    static proto::FunctionProto& named(proto::FunctionProto& out, const OpTree& op,
                                       const CallFacts& facts) {
        std::size_t count = op.params.size();
        while (count > 0 && op.params[count - 1].optional &&
               !facts.given.at(op.params[count - 1].name))
            --count;
        for (std::size_t i = 0; i < count; ++i)
            out.add_input(op.params[i].name);
        for (const OutTree& result : op.outs)
            out.add_output(result.name);
        return out;
    }

    Status statement(const StmtTree& stmt) {
        const auto out = std::find_if(m_op.outs.begin(), m_op.outs.end(),
                                      [&](const OutTree& one) { return one.name == stmt.name; });
        const bool isResult = out != m_op.outs.end();
        FunctionAxes axes;   // that the statement runs over
        FunctionAxes stored; // with those that are written at one place
        Integers places;     // of such, in `stored`
        if (isResult && out->type.dims.size() != stmt.indices.size())
            return unsaid(fmt::format("{} is written with other axes than it has", stmt.name));
        for (std::size_t i = 0; i < stmt.indices.size(); ++i) {
            const Tree& index = stmt.indices[i];
            const DimTree* dim = isResult ? &out->type.dims[i] : nullptr;
            if (index.kind == TreeKind::Int && dim != nullptr && dimName(*dim) == "1") {
                stored.push_back({{}, "1", false});
                places.push_back(static_cast<std::int64_t>(i));
                continue;
            }
            FunctionAxis axis{m_expression.variable(index), {}, index.kind == TreeKind::Pack};
            if (axis.variable.empty() || placeOf(axes, axis.variable) < axes.size())
                return unsaid(fmt::format("{} is written at a computed place", stmt.name));
            axis.dim = dim != nullptr ? dimName(*dim) : m_expression.extentByUse(axis, stmt.value);
            if (axis.dim.empty())
                return unsaid(fmt::format("how far '{}' runs is computed", axis.variable));
            axes.push_back(axis);
            stored.push_back(axis);
        }
        FW_TRY(FunctionValue value, m_expression.valueOver(axes, stmt.value));
        std::string name;
        if (isResult) {
            FW_TRY(name, m_expression.typed(value, out->type.dtype));
        } else {
            name = m_expression.emitted(value);
        }
        for (const std::int64_t place : places) {
            FW_TRY(const Integers axis,
                   m_expression.axes().places(stored, static_cast<std::size_t>(place)));
            name = m_nodes.add("Unsqueeze", {name, m_nodes.integers(axis)});
        }
        if (isResult)
            m_nodes.nameResult(name, stmt.name);
        const ElementKind kind = value.kind;
        for (FunctionAxis& axis : stored)
            axis.variable.clear();
        m_expression.define(stmt.name, {isResult ? stmt.name : name, kind, stored, false});
        return {};
    }

    const OpTree& m_op;
    proto::FunctionProto& m_out;
    FunctionNodes m_nodes;
    FunctionExpression m_expression;
};

} // namespace

Result<proto::FunctionProto> functionOf(const OpTree& op, const OnnxBinding& clause,
                                        const CallFacts& facts, std::int64_t opset) {
    proto::FunctionProto out = emptyFunction(clause.domain, clause.type, opset);
    out.set_doc_string(op.doc);
    for (const AttrParamTree& attr : op.attrs)
        out.add_attribute(clause.nodeAttribute(attr.name));
    for (const auto& [name, value] : clause.fixed)
        out.add_attribute(name);
    FW_CHECK(FunctionWriter(op, clause, facts, opset, out).run());
    return out;
}

} // namespace fw
