// Elementwise operators. Adding a constant with one extent other than 1 becomes `bias`, which is
// what rules and libraries look for; constant bounds of a Clip of real numbers become attributes.
#include "onnx/model/attributes.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/read/filled.h"

#include <fmt/format.h>
#include <limits>

namespace fw {

namespace {

template <std::size_t N>
struct Name {
    char text[N];
    constexpr Name(const char (&from)[N]) {
        for (std::size_t i = 0; i < N; ++i)
            text[i] = from[i];
    }
};

template <Name op>
Status unary(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const ValueRef x, n.input(0));
    return n.result(op.text, {x});
}

template <Name op>
Status binary(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const ValueRef a, n.input(0));
    FW_TRY(const ValueRef b, n.input(1));
    return n.result(op.text, {a, b});
}

Status add(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    for (const std::size_t side : {1u, 0u}) {
        const TensorData* constant = n.constant(side);
        if (!constant || n.constant(1 - side))
            continue;
        FW_TRY(const ValueRef x, n.input(1 - side));
        if (n.type(x).dtype != constant->dtype() || !biasAxis(n.type(x).shape, constant->extents()))
            continue;
        return addBias(n, x, side);
    }
    return binary<"add">(n);
}

Status mean(NodeImport& n) {
    FW_CHECK(n.need(1, std::numeric_limits<std::size_t>::max()));
    if (n.inputCount() == 1)
        return unary<"identity">(n);
    n.computeWide();
    FW_TRY(ValueRef sum, n.input(0));
    for (std::size_t i = 1; i < n.inputCount(); ++i) {
        FW_TRY(const ValueRef next, n.input(i));
        FW_TRY(sum, n.step("add", {sum, next}));
    }
    const ValueRef count =
        n.scalarConstant("count", static_cast<double>(n.inputCount()), n.type(sum).dtype);
    return n.result("div", {sum, count});
}

// A bound that is not given is the largest real number of the type or minus that: infinities are
// kept to it.
double largestOf(DType real) {
    return real == DType::F16    ? 65504
           : real == DType::BF16 ? 0x1.FEp127
           : real == DType::F32  ? readableReal(std::numeric_limits<float>::max())
                                 : std::numeric_limits<double>::max();
}

Status clipBounds(NodeImport& n, ValueRef x, std::optional<double> low,
                  std::optional<double> high) {
    const double most = largestOf(n.type(x).dtype);
    Attrs attrs;
    attrs.set("min", low.value_or(-most));
    attrs.set("max", high.value_or(most));
    return n.result("clip", {x}, std::move(attrs));
}

Status clipAttributes(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const ValueRef x, n.input(0));
    std::optional<double> bounds[2];
    const char* const names[] = {"min", "max"};
    for (std::size_t i = 0; i < 2; ++i)
        if (n.given(names[i])) {
            FW_TRY(bounds[i], n.real(names[i], 0));
        }
    return clipBounds(n, x, bounds[0], bounds[1]);
}

Status clip(NodeImport& n) {
    FW_CHECK(n.need(1, 3));
    FW_TRY(ValueRef x, n.input(0));
    for (const std::size_t i : {1u, 2u})
        if (n.has(i)) {
            FW_TRY(const TensorType bound, n.inputType(i));
            for (const Dim& extent : bound.shape)
                if (!extent.isInt(1))
                    return n.malformed(fmt::format("a bound of shape {} is not one number",
                                                   shapeText(bound.shape)));
        }
    const auto low = n.scalar(1);
    const auto high = n.scalar(2);
    if (isFloat(n.type(x).dtype) && (!n.has(1) || low) && (!n.has(2) || high))
        return clipBounds(n, x, low, high);
    // Integers keep their bounds as operands, which hold those that no double does.
    std::optional<ValueRef> bounds[2];
    for (std::size_t i = 0; i < 2; ++i)
        if (n.has(i + 1)) {
            FW_TRY(bounds[i], n.input(i + 1));
            if (n.type(*bounds[i]).rank() != 0) {
                FW_TRY(bounds[i], n.reshaped(*bounds[i], {}));
            }
        }
    if (const DType dtype = n.type(x).dtype; isFloat(dtype))
        for (std::size_t i = 0; i < 2; ++i)
            if (!bounds[i])
                bounds[i] = n.scalarConstant(i == 0 ? "least" : "most",
                                             i == 0 ? -largestOf(dtype) : largestOf(dtype), dtype);
    if (bounds[0] && bounds[1]) {
        FW_TRY(x, n.step("max", {x, *bounds[0]}));
    } else if (bounds[0]) {
        return n.result("max", {x, *bounds[0]});
    }
    return bounds[1] ? n.result("min", {x, *bounds[1]}) : n.result("identity", {x});
}

// Nothing is dropped, and the mask says so.
Status dropout(NodeImport& n) {
    FW_CHECK(n.need(1, 3));
    FW_TRY(const bool isTest, n.flag("is_test", n.opset() >= 7));
    FW_TRY(const double fallback, n.real("ratio", 0.5));
    const auto ratio = n.has(1) ? n.scalar(1) : std::optional(fallback);
    const auto training = n.has(2) ? n.scalar(2) : std::optional(isTest ? 0.0 : 1.0);
    if (!(training && *training == 0) && !(ratio && *ratio == 0))
        return n.unsupported("training mode is not supported", "export the model for inference");
    FW_TRY(const ValueRef x, n.input(0));
    Attrs attrs;
    attrs.set("ratio", ratio.value_or(fallback));
    if (!n.outputUsed(1))
        return n.result("dropout", {x}, std::move(attrs));
    const DType dtype = n.opset() < 10 ? n.type(x).dtype : DType::Bool;
    FW_TRY(const ValueRef mask, filled(n, "mask", n.type(x).shape, dtype, 1));
    FW_CHECK(n.alias(1, mask));
    FW_TRY(const ValueRef y, n.step("dropout", {x}, std::move(attrs)));
    return n.alias(0, y);
}

Result<ValueRef> asType(NodeImport& n, ValueRef value, DType dtype) {
    if (n.type(value).dtype == dtype)
        return value;
    Attrs to;
    to.set("to", dtype);
    return n.step("cast", {value}, std::move(to));
}

// The base decides the result's type; the exponent may have another one.
Status pow(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const TensorType base, n.inputType(0));
    FW_TRY(TensorType exponent, n.inputType(1));
    if (exponent.dtype != base.dtype)
        n.computeWide();
    FW_TRY(const ValueRef a, n.input(0));
    const DType dtype = n.type(a).dtype;
    FW_TRY(exponent, n.inputType(1));
    if (!isFloat(dtype) && isFloat(exponent.dtype)) {
        FW_TRY(const ValueRef real, asType(n, a, DType::F64));
        FW_TRY(ValueRef b, n.input(1));
        FW_TRY(b, asType(n, b, DType::F64));
        FW_TRY(ValueRef y, n.step("pow", {real, b}));
        // What is a whole number but for rounding must not be cut to the one below.
        FW_TRY(y, n.step("mul", {y, n.scalarConstant("lift", 1 + 1e-12, DType::F64)}));
        Attrs to;
        to.set("to", dtype);
        return n.result("cast", {y}, std::move(to));
    }
    const char* const op = isFloat(dtype) ? "pow" : "int_pow";
    const TensorData* constant = n.constant(1);
    ValueRef b;
    if (constant && exponent.dtype != dtype && isFloat(dtype) &&
        constant->count() <= smallTensorLimit) {
        b = n.addConstant("exponent",
                          dataFromDoubles(dtype, constant->extents(), constant->toDoubles()));
    } else {
        FW_TRY(b, n.input(1));
        if (isFloat(dtype)) {
            FW_TRY(b, asType(n, b, dtype));
        }
    }
    return n.result(op, {a, b});
}

// Before opset 7 the second operand was stretched by attributes: along `axis` of the first.
template <Name op, Status (*import)(NodeImport&)>
Status oldBroadcast(NodeImport& n) {
    FW_TRY(const bool broadcast, n.flag("broadcast", false));
    if (!n.given("axis") || !broadcast)
        return import(n);
    FW_CHECK(n.need(2, 2));
    FW_TRY(const std::int64_t where, n.integer("axis", 0));
    FW_TRY(const ValueRef a, n.input(0));
    FW_TRY(ValueRef b, n.input(1));
    const std::size_t rank = n.type(a).rank();
    Shape shape = n.type(b).shape;
    FW_TRY(const std::size_t axis, n.axis(where, rank + (shape.empty() ? 1 : 0)));
    if (axis + shape.size() > rank)
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} does not lie along axis {} of {}", n.type(b).text(), axis,
                                    n.type(a).text()));
    shape.resize(rank - axis, intExpr(1));
    FW_TRY(b, n.reshaped(b, shape));
    return n.result(op.text, {a, b});
}

constexpr ImporterRow rows[] = {
    {"Add", 1, oldBroadcast<"add", add>},
    {"Sub", 1, oldBroadcast<"sub", binary<"sub">>},
    {"Mul", 1, oldBroadcast<"mul", binary<"mul">>},
    {"Div", 1, oldBroadcast<"div", binary<"div">>},
    {"Pow", 1, oldBroadcast<"pow", binary<"pow">>},
    {"And", 1, oldBroadcast<"and", binary<"and">>},
    {"Or", 1, oldBroadcast<"or", binary<"or">>},
    {"Xor", 1, oldBroadcast<"xor", binary<"xor">>},
    {"Equal", 1, oldBroadcast<"equal", binary<"equal">>},
    {"Less", 1, oldBroadcast<"less", binary<"less">>},
    {"Greater", 1, oldBroadcast<"greater", binary<"greater">>},
    {"Add", 7, add},
    {"Pow", 7, pow},
    {"Mean", 1, mean},
    {"Clip", 1, clipAttributes},
    {"Clip", 11, clip},
    {"Dropout", 1, dropout},
};

} // namespace

std::optional<std::size_t> biasAxis(const Shape& x, const std::vector<std::int64_t>& constant) {
    if (constant.size() > x.size())
        return std::nullopt;
    std::optional<std::size_t> axis;
    const std::size_t shift = x.size() - constant.size();
    for (std::size_t i = 0; i < constant.size(); ++i) {
        if (constant[i] == 1)
            continue;
        if (axis || !x[shift + i].isInt(constant[i]))
            return std::nullopt;
        axis = shift + i;
    }
    return axis;
}

Status addBias(NodeImport& n, ValueRef x, std::size_t operand) {
    const TensorData* constant = n.constant(operand);
    const auto axis = biasAxis(n.type(x).shape, constant->extents());
    ValueRef b;
    if (constant->extents().size() == 1) {
        FW_TRY(b, n.input(operand));
    } else {
        b = n.addConstant("bias_values",
                          constant->reshaped({static_cast<std::int64_t>(constant->count())}));
    }
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis.value_or(0)));
    n.note(fmt::format("adding a constant along axis {} is a bias", axis.value_or(0)));
    return n.result("bias", {x, b}, std::move(attrs));
}

std::span<const ImporterRow> elementwiseImporters() {
    return rows;
}

} // namespace fw
