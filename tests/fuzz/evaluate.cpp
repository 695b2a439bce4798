#include "fuzz/evaluate.h"

#include "ir/bound_dims.h"

#include "expr/simplify.h"
#include "fuzz/native.h"
#include "fuzz/numbers.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace fw::fuzz {

namespace {

constexpr double exactLimit = 16777216; // 2^24: every f32 sum below it is exact

// Below it every integer is a number of the type.
double wholeLimit(DType dtype) {
    return isFloat(dtype) ? std::min(exactLimit, 2 / rangeOf(dtype).step) : exactLimit;
}

const std::set<std::string>& sumsOfProducts() {
    static const std::set<std::string> names = {
        "dense", "batch_matmul", "conv2d", "conv_transpose2d", "conv", "conv_transpose"};
    return names;
}

// Operators that move, pick, compare or round to whole numbers: exact whatever the values are.
const std::set<std::string>& withoutRounding() {
    static const std::set<std::string> names = {"max",         "min",
                                                "equal",       "less",
                                                "and",         "or",
                                                "xor",         "less_or_equal",
                                                "greater",     "not",
                                                "where",       "greater_or_equal",
                                                "neg",         "identity",
                                                "dropout",     "cast",
                                                "abs",         "sign",
                                                "floor",       "ceil",
                                                "round",       "relu",
                                                "transpose",   "concat",
                                                "gather",      "reshape",
                                                "expand",      "channel_shuffle",
                                                "split",       "slice",
                                                "pad",         "tile",
                                                "shape",       "constant_of_shape",
                                                "max_pool2d",  "clip",
                                                "reduce_max",  "global_max_pool",
                                                "reduce_min",  "arg_max",
                                                "arg_min",     "hardmax",
                                                "top_k",       "gather_elements",
                                                "gather_nd",   "scatter",
                                                "scatter_max", "scatter_min",
                                                "one_hot",     "trilu",
                                                "eye",         "diagonal",
                                                "pad_edge",    "reverse_sequence",
                                                "pad_reflect", "pad_wrap",
                                                "max_pool",    "max_pool2d_places",
                                                "slice_at",    "max_pool3d_places",
                                                "pad_at",      "resize_nearest",
                                                "is_nan",      "thresholded_relu",
                                                "is_inf",      "max_to",
                                                "min_to"};
    return names;
}

// Operators that round once, so that no step on the way can leave the floats.
const std::set<std::string>& roundingOnce() {
    static const std::set<std::string> names = {"add",  "sub",   "mul",     "div",        "bias",
                                                "sqrt", "scale", "rsqrt",   "reciprocal", "exp",
                                                "log",  "erf",   "sigmoid", "tanh",       "prelu"};
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
    return op == "add" || op == "sub" || op == "bias" ? sum : op == "fmod" ? largest : HUGE_VAL;
}

// Whether the factors, multiplied in some order, leave the floats on the way to a product that does
// not.
bool mayOverflow(const TensorData& factors) {
    double bits = 0;
    for (std::size_t i = 0; i < factors.count(); ++i)
        bits += std::log2(std::max(1.0, std::fabs(factors.at(i))));
    return isFloat(factors.dtype()) && bits > 120;
}

bool isZero(const AttrValue& value) {
    const auto* list = std::get_if<Integers>(&value);
    return list != nullptr &&
           std::all_of(list->begin(), list->end(), [](std::int64_t n) { return n == 0; });
}

// Whether the zeros around an image, or one that is an element and may have been put there, meet a
// weight that is infinite or no number: whether that counts is not promised. The weights of a
// sample are made of its place.
bool mayMeetNothing(const std::string& op, const std::vector<Operand>& operands,
                    const Attrs& attrs) {
    const std::vector<double> weights = numbersOf(*operands[1].data);
    if (std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }))
        return false;
    for (const auto& [name, value] : attrs)
        if ((name == "pads" || name == "before" || name == "behind") && !isZero(value))
            return true;
    const std::vector<double> image = numbersOf(*operands[0].data);
    return op.starts_with("grid_sample") || op == "conv_transpose2d" ||
           op == "conv_transpose" || // places between elements
           std::find(image.begin(), image.end(), 0.0) != image.end();
}

// Whether an axis keeps its size and every place is an element: ONNX Runtime and the importer take
// such a Resize for none, and the weights of 0 of what lies beside do not meet an infinity.
bool resizesNothing(const std::string& op, const std::vector<Operand>& operands,
                    const Attrs& attrs) {
    const auto real = [&](const char* name, double otherwise) {
        return attrs.real(name, otherwise);
    };
    if ((op != "resize_linear" && op != "resize_cubic") || real("start", 0) != 0 ||
        real("step", 1) != real("under", 1))
        return false;
    const std::vector<double> values = numbersOf(*operands[0].data);
    return !std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// Whether a step inside an operator may leave the floats, or lose all bits, though its result does
// not: then what is right depends on how it is computed.
bool mayLeaveFloats(const std::string& op, const std::vector<Operand>& operands,
                    const Attrs& attrs) {
    if (withoutRounding().contains(op) || roundingOnce().contains(op))
        return false;
    for (const auto& attribute : attrs)
        if (const auto* number = std::get_if<double>(&attribute.second)) {
            const double size = std::fabs(*number);
            if (!(size <= 1e9) || (size > 0 && size < 1e-9))
                return true;
        }
    if (((sumsOfProducts().contains(op) && op != "dense" && op != "batch_matmul") ||
         op.starts_with("grid_sample")) &&
        mayMeetNothing(op, operands, attrs))
        return true;
    if (resizesNothing(op, operands, attrs))
        return true;
    const bool turns = op == "sin" || op == "cos" || op == "tan"; // no exact reduction far out
    for (const Operand& operand : operands) {
        if (operand.data == nullptr || !isFloat(operand.data->dtype()))
            continue;
        const double far = turns ? 1e5 : operand.data->dtype() == DType::F64 ? 1e70 : 1e9;
        for (const double number : numbersOf(*operand.data)) {
            const double size = std::fabs(number);
            if (std::isfinite(size) && (size > far || (size > 0 && size < 1e-9)))
                return true;
        }
    }
    return false;
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
        const double value = std::fabs(numberAt(data, i));
        if (std::isnan(value))
            return HUGE_VAL;
        out = std::max(out, value);
    }
    return out;
}

bool isWhole(const TensorData& data) {
    if (!isFloat(data.dtype()))
        return true;
    const double limit = wholeLimit(data.dtype());
    for (std::size_t i = 0; i < data.count(); ++i)
        if (const double value = numberAt(data, i);
            !(std::fabs(value) < limit) || value != std::floor(value))
            return false;
    return true;
}

namespace {

// The call on f32 in place of f16 and bf16, or on f64, where a cast must not round before.
struct Wide {
    OpCall call;
    std::vector<TensorData> data;
    std::vector<const TensorData*> operands;
    bool changed = false;
};

Wide widened(const std::string& op, const OpCall& call, const std::vector<Operand>& operands) {
    const DType real = op == "cast" ? DType::F64 : DType::F32;
    Wide out;
    out.call.attrs = call.attrs;
    out.data.reserve(operands.size());
    for (const Operand& operand : operands) {
        if (operand.data == nullptr) {
            out.operands.push_back(nullptr);
            out.call.inputs.push_back(std::nullopt);
            continue;
        }
        const bool narrow = isNarrow(operand.data->dtype());
        out.changed = out.changed || narrow;
        out.data.push_back(narrow ? floatsAs(*operand.data, real) : *operand.data);
        out.operands.push_back(&out.data.back());
        out.call.inputs.push_back(out.data.back().type());
    }
    for (const auto& [name, value] : call.attrs) {
        if (const auto* dtype = std::get_if<DType>(&value); dtype != nullptr && isNarrow(*dtype)) {
            out.call.attrs.set(name, real);
            out.changed = true;
        } else if (const auto* data = std::get_if<TensorData>(&value);
                   data != nullptr && isNarrow(data->dtype())) {
            out.call.attrs.set(name, floatsAs(*data, real));
            out.changed = true;
        }
    }
    return out;
}

// The reference. What is f16 or bf16 is computed in f32 and rounded here, as every value that a
// graph names is.
Result<std::vector<TensorData>> computed(const Operator& known, const OpCall& call,
                                         const std::vector<Operand>& operands) {
    FW_TRY(const Inferred inferred, known.infer(call));
    const Wide wide = widened(known.name(), call, operands);
    FW_TRY(std::vector<TensorData> out, known.reference(wide.call, wide.operands));
    for (std::size_t i = 0; i < out.size(); ++i)
        if (const DType dtype = inferred.outputs.at(i).dtype; wide.changed && isNarrow(dtype))
            out[i] = floatsAs(out[i], dtype);
    return out;
}

// Zeros of another sign are other numbers where the operator says which one there is.
bool sameNumbers(const TensorData& a, const TensorData& b, bool signs) {
    if (a == b)
        return true;
    if (!isFloat(a.dtype()) || a.dtype() != b.dtype() || a.extents() != b.extents())
        return false;
    for (std::size_t i = 0; i < a.count(); ++i) {
        const double x = numberAt(a, i), y = numberAt(b, i);
        if (!(x == y || (std::isnan(x) && std::isnan(y))) ||
            (signs && x == 0 && std::signbit(x) != std::signbit(y)))
            return false;
    }
    return true;
}

} // namespace

Result<Tried> tryCall(const OperatorSet& operators, const std::string& op,
                      const std::vector<Operand>& operands, const Attrs& attrs, const Sizes& sizes,
                      bool disturbed) {
    OpCall call;
    call.attrs = concrete(attrs, sizes);
    std::vector<const TensorData*> data;
    bool exact = true, whole = true, real = false;
    for (const Operand& operand : operands) {
        data.push_back(operand.data);
        call.inputs.push_back(operand.data == nullptr ? std::nullopt
                                                      : std::optional(operand.data->type()));
        if (operand.data == nullptr)
            continue;
        exact = exact && operand.exact;
        whole = whole && isWhole(*operand.data);
        real = real || isFloat(operand.data->dtype());
    }
    Tried out;
    const Operator* known = operators.find(op);
    if (known == nullptr)
        return makeDiag(DiagCode::UnknownOperator, "no operator is named " + op);
    if (!disturbed && (op == "reduce_prod" || op == "prod_to") && mayOverflow(*operands.at(0).data))
        return makeDiag(DiagCode::LimitReached, "a product may leave the floats in some order");
    if (!disturbed && mayLeaveFloats(op, operands, attrs))
        return makeDiag(DiagCode::LimitReached, "a step on the way may leave the floats");
    FW_TRY(out.outputs, computed(*known, call, operands));
    if (!disturbed && out.outputs.size() == 1) {
        auto native = natively(op, data, out.outputs[0].type());
        if (!native)
            native = sumsNatively(op, data, call.attrs, out.outputs[0].type());
        if (native && !sameNumbers(*native, out.outputs[0], op != "max" && op != "min"))
            throw InternalError("the reference of " + op + " of " + data[0]->type().text() +
                                " is not what the compiler of C++ computes");
    }
    for (const TensorData& output : out.outputs) {
        real = real || isFloat(output.dtype());
        whole = whole && isWhole(output);
    }
    // Integers wrap the same way everywhere, so among themselves they are always exact.
    out.exact = exact && (!real || withoutRounding().contains(op) ||
                          (whole && bound(op, operands) < exactLimit));
    return out;
}

namespace {

Attrs withReals(const OperatorSet& operators, const Node& node, const AttributeHook& attribute) {
    Attrs out = node.attrs;
    const Operator* known = operators.find(node.op);
    for (const std::string& name : known->attrNames()) {
        const AttrValue* given = node.attrs.find(name);
        const std::optional<AttrValue> value = given ? *given : known->attrDefault(name);
        if (value && std::holds_alternative<double>(*value))
            out.set(name, attribute(std::get<double>(*value)));
    }
    return out;
}

} // namespace

Result<Evaluated> evaluateNodes(const Graph& graph, const Sizes& sizes,
                                const std::vector<TensorData>& inputs, const ValueHook& hook,
                                const AttributeHook& attribute) {
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
        keep(graph.node(id), 0, data, true);
    }
    for (const NodePtr& node : graph.nodes()) {
        if (node->isInput())
            continue;
        if (node->isConstant()) {
            keep(*node, 0, *node->data, true);
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
        const Attrs attrs =
            attribute ? withReals(graph.operators(), *node, attribute) : node->attrs;
        Result<Tried> tried =
            tryCall(graph.operators(), node->op, operands, attrs, known, hook != nullptr);
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
