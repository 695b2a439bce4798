// Normalisations and softmax. Softmax before opset 13 flattens its operand to a matrix at the axis.
#include "base/numbers.h"
#include "expr/simplify.h"
#include "onnx/node_import.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

Dim product(const Shape& shape, std::size_t from) {
    Dim out = intExpr(1);
    for (std::size_t i = from; i < shape.size(); ++i)
        out = out * shape[i];
    return out;
}

Result<ValueRef> converted(NodeImport& n, ValueRef value, DType dtype) {
    Attrs to;
    to.set("to", dtype);
    return n.step("cast", {value}, std::move(to));
}

Status layerNorm(NodeImport& n) {
    FW_CHECK(n.need(2, 3));
    FW_TRY(const double eps, n.real("epsilon", 1e-5));
    FW_TRY(const std::int64_t stash, n.integer("stash_type", 1));
    FW_TRY(const std::int64_t where, n.integer("axis", -1));
    const bool statistics = n.outputUsed(1) || n.outputUsed(2); // mean and 1 / deviation
    if (statistics && stash == 1)
        n.computeWide(); // they are f32, whatever x is
    FW_TRY(ValueRef x, n.input(0));
    const TensorType type = n.type(x);
    if (stash != 1 && stash != 11)
        return n.unsupported(fmt::format("stash_type {} is not supported", stash));
    const DType computed = stash == 1 ? DType::F32 : DType::F64;
    FW_TRY(const std::size_t axis, n.axis(where, type.rank()));
    FW_TRY(ValueRef scale, n.input(1));
    const Dim width = product(type.shape, axis);
    ValueRef shift;
    if (n.has(2)) {
        FW_TRY(shift, n.input(2));
    } else {
        const auto extent = width.asInt();
        if (!extent)
            return n.unsupported("without a bias, over a free dimension");
        const auto bytes = checkedMul(*extent, static_cast<std::int64_t>(dtypeBytes(type.dtype)));
        if (!bytes || *bytes > n.tensorLimit())
            return makeDiag(DiagCode::LimitReached, "LayerNormalization is too large");
        shift = n.addConstant("shift",
                              TensorData(type.dtype, {*extent},
                                         std::vector<std::byte>(static_cast<std::size_t>(*bytes))));
    }
    Attrs attrs;
    attrs.set("eps", eps);
    const bool vectors = n.type(scale).rank() == 1 && n.type(shift).rank() == 1;
    if (axis + 1 == type.rank() && vectors && !statistics)
        return n.result("layernorm", {x, scale, shift}, std::move(attrs));
    // Several axes are normalised as one. Scale and shift must then have exactly these axes.
    const Shape inner(type.shape.begin() + static_cast<std::ptrdiff_t>(axis), type.shape.end());
    for (ValueRef* operand : {&scale, &shift}) {
        const Shape& shape = n.type(*operand).shape;
        if (shape.size() == 1 && shape[0] == width)
            continue;
        if (shape != inner)
            return n.unsupported(
                fmt::format("a scale or bias of shape {} is not supported", shapeText(shape)));
        FW_TRY(*operand, n.reshaped(*operand, {width}));
    }
    // Mean and deviation are of the type in which all is computed.
    const bool converts = statistics && type.dtype != computed;
    if (converts)
        for (ValueRef* operand : {&x, &scale, &shift}) {
            FW_TRY(*operand, converted(n, *operand, computed));
        }
    Shape flat(type.shape.begin(), type.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    flat.push_back(width);
    if (flat != type.shape) {
        FW_TRY(x, n.reshaped(x, flat));
    }
    FW_TRY(ValueRef y, n.step("layernorm", {x, scale, shift}, std::move(attrs)));
    if (!statistics)
        return n.resultReshaped(y, type.shape);
    Shape kept = flat; // the axes stay, with extent 1
    kept.back() = intExpr(1);
    kept.resize(type.rank(), intExpr(1));
    for (const int output : {1, 2})
        if (const auto i = static_cast<std::size_t>(output); n.outputUsed(i)) {
            FW_TRY(const ValueRef value, n.reshaped({y.node, output}, kept));
            FW_CHECK(n.aliasWide(i, value));
        }
    if (flat != type.shape) {
        FW_TRY(y, n.reshaped(y, type.shape));
    }
    if (converts) {
        FW_TRY(y, converted(n, y, type.dtype));
    }
    return n.alias(0, y);
}

Status softmaxAlong(NodeImport& n, const std::string& op, std::int64_t fallback, bool flattens) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const std::int64_t where, n.integer("axis", fallback));
    FW_TRY(const ValueRef x, n.input(0));
    const Shape shape = n.type(x).shape;
    if (flattens && where == static_cast<std::int64_t>(shape.size())) // every row has one element
        return n.unsupported("an axis behind the last one is not supported");
    FW_TRY(const std::size_t axis, n.axis(where, shape.size()));
    Attrs attrs;
    if (!flattens || axis + 1 == shape.size()) {
        attrs.set("axis", static_cast<std::int64_t>(axis));
        return n.result(op, {x}, std::move(attrs));
    }
    bool onlyOnes = true; // behind the axis: then nothing is flattened together
    for (std::size_t i = axis + 1; i < shape.size(); ++i)
        onlyOnes = onlyOnes && shape[i].isInt(1);
    if (onlyOnes) {
        attrs.set("axis", static_cast<std::int64_t>(axis));
        return n.result(op, {x}, std::move(attrs));
    }
    const Shape left(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
    FW_TRY(const ValueRef matrix, n.reshaped(x, {product(left, 0), product(shape, axis)}));
    attrs.set("axis", std::int64_t{1});
    FW_TRY(const ValueRef y, n.step(op, {matrix}, std::move(attrs)));
    n.note("before opset 13 the operand is flattened to a matrix");
    return n.resultReshaped(y, shape);
}

Status softmaxOld(NodeImport& n) {
    return softmaxAlong(n, "softmax", 1, true);
}
Status softmax(NodeImport& n) {
    return softmaxAlong(n, "softmax", -1, false);
}
Status logSoftmaxOld(NodeImport& n) {
    return softmaxAlong(n, "log_softmax", 1, true);
}
Status logSoftmax(NodeImport& n) {
    return softmaxAlong(n, "log_softmax", -1, false);
}

Status hardmaxOld(NodeImport& n) {
    return softmaxAlong(n, "hardmax", 1, true);
}
Status hardmax(NodeImport& n) {
    return softmaxAlong(n, "hardmax", -1, false);
}

Status instanceNorm(NodeImport& n) {
    FW_CHECK(n.need(3, 3));
    FW_TRY(const double eps, n.real("epsilon", 1e-5));
    std::vector<ValueRef> inputs;
    for (const std::size_t i : {0u, 1u, 2u}) {
        FW_TRY(const ValueRef value, n.input(i));
        inputs.push_back(value);
    }
    Attrs attrs;
    attrs.set("eps", eps);
    return n.result("instance_norm", std::move(inputs), std::move(attrs));
}

// Every group of channels becomes one channel, which is normalised alone.
Status groupNorm(NodeImport& n) {
    FW_CHECK(n.need(3, 3));
    FW_TRY(const double eps, n.real("epsilon", 1e-5));
    FW_TRY(const std::int64_t groups, n.integer("num_groups", 0));
    FW_TRY([[maybe_unused]] const std::int64_t stash, n.integer("stash_type", 1));
    n.computeWide();
    FW_TRY(ValueRef x, n.input(0));
    const TensorType type = n.type(x);
    const auto channels = type.rank() < 3 ? std::nullopt : type.shape[1].asInt();
    if (!channels || groups < 1 || *channels % groups != 0)
        return n.malformed(fmt::format("{} groups of the channels of {}", groups, type.text()));
    const Dim inside = simplify(intExpr(*channels / groups) * product(type.shape, 2));
    FW_TRY(x, n.reshaped(x, {type.shape[0], intExpr(groups), inside}));
    const std::vector<double> ones(static_cast<std::size_t>(groups), 1),
        zeros(static_cast<std::size_t>(groups), 0);
    const ValueRef one = n.addConstant("one", dataFromDoubles(type.dtype, {groups}, ones));
    const ValueRef zero = n.addConstant("zero", dataFromDoubles(type.dtype, {groups}, zeros));
    Attrs attrs;
    attrs.set("eps", eps);
    FW_TRY(ValueRef y, n.step("instance_norm", {x, one, zero}, std::move(attrs)));
    Shape shape = type.shape;
    const bool perGroup = n.opset() < 21;
    if (perGroup)
        shape = n.type(y).shape;
    else {
        FW_TRY(y, n.reshaped(y, shape));
    }
    Attrs axis;
    axis.set("axis", std::int64_t{1});
    FW_TRY(const ValueRef scale, n.input(1));
    FW_TRY(const ValueRef shift, n.input(2));
    FW_TRY(y, n.step("scale", {y, scale}, axis));
    if (!perGroup)
        return n.result("bias", {y, shift}, axis);
    FW_TRY(y, n.step("bias", {y, shift}, axis));
    return n.resultReshaped(y, type.shape);
}

Status rmsNorm(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    if (n.outputUsed(1))
        return n.unsupported("its deviation is used, which is not supported");
    FW_TRY(const double eps, n.real("epsilon", 1e-5));
    FW_TRY(const std::int64_t where, n.integer("axis", -1));
    FW_TRY([[maybe_unused]] const std::int64_t stash, n.integer("stash_type", 1));
    FW_TRY(ValueRef x, n.input(0));
    FW_TRY(ValueRef scale, n.input(1));
    const Shape shape = n.type(x).shape;
    FW_TRY(const std::size_t axis, n.axis(where, shape.size()));
    Attrs attrs;
    attrs.set("eps", eps);
    if (axis + 1 == shape.size() && n.type(scale).rank() == 1)
        return n.result("rms_norm", {x, scale}, std::move(attrs));
    const Shape inner(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end());
    if (n.type(scale).shape != inner)
        return n.unsupported(
            fmt::format("a scale of shape {} is not supported", shapeText(n.type(scale).shape)));
    const Dim width = simplify(product(shape, axis));
    Shape flat(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
    flat.push_back(width);
    FW_TRY(x, n.reshaped(x, flat));
    FW_TRY(scale, n.reshaped(scale, {width}));
    FW_TRY(const ValueRef y, n.step("rms_norm", {x, scale}, std::move(attrs)));
    return n.resultReshaped(y, shape);
}

// (x - mean) / (deviation + 1e-9)
Status meanVariance(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const auto given, n.list("axes"));
    n.computeWide();
    FW_TRY(const ValueRef x, n.input(0));
    const std::size_t rank = n.type(x).rank();
    Integers axes;
    for (const std::int64_t where : given.value_or(Integers{0, 2, 3})) {
        FW_TRY(const std::size_t axis, n.axis(where, rank));
        if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end())
            return n.malformed("an axis is named twice");
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    Attrs over;
    over.set("axes", axes);
    over.set("keepdims", std::int64_t{1});
    FW_TRY(const ValueRef mean, n.step("reduce_mean", {x}, over));
    FW_TRY(const ValueRef centred, n.step("sub", {x, mean}));
    FW_TRY(const ValueRef square, n.step("mul", {centred, centred}));
    FW_TRY(const ValueRef variance, n.step("reduce_mean", {square}, over));
    FW_TRY(const ValueRef deviation, n.step("sqrt", {variance}));
    const ValueRef least = n.scalarConstant("least", 1e-9, n.type(x).dtype);
    FW_TRY(const ValueRef divisor, n.step("add", {deviation, least}));
    return n.result("div", {centred, divisor});
}

constexpr ImporterRow rows[] = {
    {"LayerNormalization", 17, layerNorm},
    {"Softmax", 1, softmaxOld},
    {"Softmax", 13, softmax},
    {"LogSoftmax", 1, logSoftmaxOld},
    {"LogSoftmax", 13, logSoftmax},
    {"Hardmax", 1, hardmaxOld},
    {"Hardmax", 13, hardmax},
    {"InstanceNormalization", 1, instanceNorm},
    {"GroupNormalization", 18, groupNorm},
    {"RMSNormalization", 23, rmsNorm},
    {"SimplifiedLayerNormalization", 1, rmsNorm},
    {"SimplifiedLayerNormalization", 1, rmsNorm, "com.microsoft"},
    {"MeanVarianceNormalization", 9, meanVariance},
};

} // namespace

std::span<const ImporterRow> normalizationImporters() {
    return rows;
}

} // namespace fw
