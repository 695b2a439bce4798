// Sizes over free dimensions in a file: computed by nodes from the shapes of inputs.
#include "expr/simplify.h"
#include "onnx/write/graph_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

Result<std::string> GraphWriter::dims(const std::string& wish, const Exprs& values) {
    if (const auto fixed = fixedExtents(values))
        return integers(wish, *fixed);
    std::vector<std::string> parts;
    for (const Expr& value : values) {
        FW_TRY(auto part, dimValue(wish, value));
        parts.push_back(std::move(part));
    }
    const std::string name = fresh(wish);
    setAttribute(node("Concat", parts, name, fresh(name + ".concat")), "axis", std::int64_t{0});
    return name;
}

// i64[1], computed once per expression.
Result<std::string> GraphWriter::dimValue(const std::string& wish, const Expr& dim) {
    if (const auto known = m_dims.find(dim); known != m_dims.end())
        return known->second;
    std::string name;
    if (const auto value = dim.asInt()) {
        name = integers("dim." + std::to_string(*value), {*value});
    } else if (dim.isVar()) {
        for (const NodeId id : m_graph.inputs()) {
            const Shape& shape = m_graph.node(id).outputs[0].type.shape;
            const auto axis = std::find(shape.begin(), shape.end(), dim);
            if (axis == shape.end())
                continue;
            const std::string whole = fresh("shape." + dim.text());
            node("Shape", {use({id, 0})}, whole, fresh(whole + ".shape"));
            const std::string index = integers("axis." + dim.text(), {axis - shape.begin()});
            name = fresh("dim." + dim.text());
            setAttribute(node("Gather", {whole, index}, name, fresh(name + ".gather")), "axis",
                         std::int64_t{0});
            break;
        }
    } else {
        static const std::map<ExprOp, std::string> types{
            {ExprOp::Add, "Add"},      {ExprOp::Sub, "Sub"},        {ExprOp::Mul, "Mul"},
            {ExprOp::FloorDiv, "Div"}, {ExprOp::Mod, "Mod"},        {ExprOp::Min, "Min"},
            {ExprOp::Max, "Max"},      {ExprOp::Select, "Where"},   {ExprOp::Eq, "Equal"},
            {ExprOp::Lt, "Less"},      {ExprOp::Le, "LessOrEqual"}, {ExprOp::And, "And"},
            {ExprOp::Or, "Or"},        {ExprOp::Not, "Not"}};
        if (const auto type = types.find(dim.op()); type != types.end()) {
            std::vector<std::string> parts;
            for (const Expr& part : dim.args()) {
                FW_TRY(parts.emplace_back(), dimValue(wish, part));
            }
            // The quotient of ONNX is cut, so what may be negative is first made a multiple.
            if (dim.op() == ExprOp::FloorDiv && !proveNonNegative(dim.arg(0))) {
                const std::string rest = fresh(wish + ".rest"), whole = fresh(wish + ".whole");
                node("Mod", parts, rest, fresh(rest + ".node"));
                node("Sub", {parts.at(0), rest}, whole, fresh(whole + ".node"));
                parts[0] = whole;
            }
            name = fresh(wish + ".dim");
            node(type->second, parts, name, fresh(name + ".node"));
        }
    }
    if (name.empty())
        return makeDiag(
            DiagCode::UnsupportedAttribute,
            fmt::format("the dimension {} cannot be computed from the inputs", dim.text()));
    m_dims.emplace(dim, name);
    return name;
}

} // namespace fw
