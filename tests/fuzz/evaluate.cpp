#include "fuzz/evaluate.h"

#include "ir/bound_dims.h"

#include "expr/simplify.h"

#include <cmath>
#include <set>

namespace fw::fuzz {

namespace {

constexpr double exactLimit = 16777216; // 2^24: every f32 sum below it is exact

const std::set<std::string>& sumsOfProducts() {
    static const std::set<std::string> names = {
        "dense", "batch_matmul", "conv2d", "conv_transpose2d", "conv", "conv_transpose"};
    return names;
}

const std::set<std::string>& withoutRounding() {
    static const std::set<std::string> names = {"add",
                                                "sub",
                                                "max",
                                                "min",
                                                "equal",
                                                "less",
                                                "and",
                                                "or",
                                                "less_or_equal",
                                                "greater",
                                                "not",
                                                "greater_or_equal",
                                                "where",
                                                "neg",
                                                "identity",
                                                "dropout",
                                                "cast",
                                                "abs",
                                                "sign",
                                                "floor",
                                                "ceil",
                                                "round",
                                                "relu",
                                                "bias",
                                                "transpose",
                                                "concat",
                                                "gather",
                                                "reshape",
                                                "expand",
                                                "channel_shuffle",
                                                "split",
                                                "slice",
                                                "pad",
                                                "tile",
                                                "shape",
                                                "constant_of_shape",
                                                "max_pool2d",
                                                "clip",
                                                "global_max_pool",
                                                "reduce_max",
                                                "reduce_min",
                                                "arg_max",
                                                "arg_min",
                                                "hardmax",
                                                "top_k",
                                                "gather_elements",
                                                "gather_nd",
                                                "scatter",
                                                "scatter_max",
                                                "scatter_min",
                                                "one_hot",
                                                "trilu",
                                                "eye",
                                                "diagonal",
                                                "reverse_sequence",
                                                "pad_edge",
                                                "pad_reflect",
                                                "pad_wrap",
                                                "max_pool",
                                                "max_pool2d_places",
                                                "max_pool3d_places",
                                                "resize_nearest",
                                                "thresholded_relu",
                                                "is_nan",
                                                "is_inf",
                                                "fmod"};
    return names;
}

// How large a partial result may become at most; infinity if the operator rounds.
double bound(const std::string& op, const std::vector<Operand>& operands) {
    double largest = 0, sum = 0, product = 1;
    for (const Operand& operand : operands) {
        if (operand.data == nullptr)
            continue;
        const double value = largestOf(*operand.data);
        largest = std::max(largest, value);
        sum += value;
        product *= value;
    }
    if (op == "mul" || op == "scale")
        return product;
    if (sumsOfProducts().contains(op))
        return product * static_cast<double>(operands[1].data->count());
    if (op == "cumsum" || op == "scatter_add")
        return sum * static_cast<double>(operands[0].data->count() + operands.back().data->count());
    if (op == "reduce_sum")
        return largest * static_cast<double>(operands[0].data->count());
    return withoutRounding().contains(op) ? sum : HUGE_VAL;
}

// Whether the factors, multiplied in some order, leave the floats on the way to a product that does
// not.
bool mayOverflow(const TensorData& factors) {
    double bits = 0;
    for (std::size_t i = 0; i < factors.count(); ++i)
        bits += std::log2(std::max(1.0, std::fabs(factors.at(i))));
    return isFloat(factors.dtype()) && bits > 120;
}

Substitution substitution(const Sizes& sizes) {
    Substitution out;
    for (const auto& [name, extent] : sizes)
        out.emplace(Symbol(name), intExpr(extent));
    return out;
}

Attrs concrete(const Attrs& attrs, const Sizes& sizes) {
    Attrs out = attrs;
    for (const auto& [name, value] : attrs)
        if (const auto* exprs = std::get_if<Exprs>(&value)) {
            Exprs fixed;
            for (const Expr& expr : *exprs)
                fixed.push_back(simplify(substitute(expr, substitution(sizes))));
            out.set(name, std::move(fixed));
        }
    return out;
}

} // namespace

double largestOf(const TensorData& data) {
    double out = 0;
    for (std::size_t i = 0; i < data.count(); ++i) {
        const double value = std::fabs(data.at(i));
        if (std::isnan(value))
            return HUGE_VAL;
        out = std::max(out, value);
    }
    return out;
}

bool isExactData(const TensorData& data) {
    if (!isFloat(data.dtype()))
        return true;
    for (std::size_t i = 0; i < data.count(); ++i)
        if (const double value = data.at(i);
            !(std::fabs(value) < exactLimit) || value != std::floor(value))
            return false;
    return true;
}

Result<Tried> tryCall(const OperatorSet& operators, const std::string& op,
                      const std::vector<Operand>& operands, const Attrs& attrs,
                      const Sizes& sizes) {
    OpCall call;
    call.attrs = concrete(attrs, sizes);
    std::vector<const TensorData*> data;
    bool exact = true, real = false;
    for (const Operand& operand : operands) {
        data.push_back(operand.data);
        call.inputs.push_back(operand.data == nullptr ? std::nullopt
                                                      : std::optional(operand.data->type()));
        exact = exact && (operand.data == nullptr || operand.exact);
        real = real || (operand.data != nullptr && isFloat(operand.data->dtype()));
    }
    Tried out;
    const Operator* known = operators.find(op);
    if (known == nullptr)
        return makeDiag(DiagCode::UnknownOperator, "no operator is named " + op);
    if ((op == "reduce_prod" || op == "prod_to") && mayOverflow(*operands.at(0).data))
        return makeDiag(DiagCode::LimitReached, "a product may leave the floats in some order");
    FW_TRY(out.outputs, known->reference(call, data));
    for (const TensorData& output : out.outputs)
        real = real || isFloat(output.dtype());
    // Integers wrap the same way everywhere, so among themselves they are always exact.
    out.exact = exact && (!real || bound(op, operands) < exactLimit);
    for (const TensorData& output : out.outputs)
        out.exact = out.exact && isExactData(output);
    return out;
}

Result<Evaluated> evaluateNodes(const Graph& graph, const Sizes& sizes,
                                const std::vector<TensorData>& inputs, const ValueHook& hook) {
    std::map<ValueRef, std::pair<TensorData, bool>> values;
    Sizes known = sizes;
    std::size_t next = 0;
    const auto keep = [&](const Node& node, std::size_t output, TensorData data, bool exact) {
        if (hook)
            hook(node, output, data);
        values[{node.id, static_cast<int>(output)}] = {std::move(data), exact};
    };
    for (const NodeId id : graph.inputs()) {
        const TensorData& data = inputs.at(next++);
        keep(graph.node(id), 0, data, isExactData(data));
    }
    for (const NodePtr& node : graph.nodes()) {
        if (node->isInput())
            continue;
        if (node->isConstant()) {
            keep(*node, 0, *node->data, isExactData(*node->data));
            continue;
        }
        std::vector<Operand> operands;
        for (const ValueRef& input : node->inputs) {
            Operand& operand = operands.emplace_back();
            if (!input.valid())
                continue;
            const auto& [data, exact] = values.at(input);
            operand = {&data, exact};
        }
        Result<Tried> tried = tryCall(graph.operators(), node->op, operands, node->attrs, known);
        if (!tried)
            return tried.takeDiag().at({{}, node->name});
        for (std::size_t i = 0; i < tried->outputs.size(); ++i)
            keep(*node, i, std::move(tried->outputs[i]), tried->exact);
        const std::vector<Symbol> dims = dimsBoundBy(graph.operators(), *node);
        for (std::size_t i = 0; i < dims.size(); ++i)
            known[dims[i].text()] = values.at({node->id, 0}).first.integerAt(i);
    }
    Evaluated out;
    for (const NamedValue& result : graph.results()) {
        const auto& [data, exact] = values.at(result.value);
        out.results.push_back(data);
        out.exact.push_back(exact);
    }
    return out;
}

} // namespace fw::fuzz
