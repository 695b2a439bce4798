// Spectra, and the scales that they are summed up on.
#include "expr/simplify.h"
#include "onnx/forms/running_sizes.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/read/importers.h"

#include <cmath>
#include <fmt/format.h>

namespace fw {

namespace {

struct Transform {
    bool inverse = false, onesided = false;

    // To the real values of which only one side was kept.
    bool isReal() const { return inverse && onesided; }
    const char* op() const { return isReal() ? "inverse_real_dft" : "dft"; }
};

Result<Transform> transformOf(NodeImport& n) {
    Transform out;
    FW_TRY(out.inverse, n.flag("inverse", false));
    FW_TRY(out.onesided, n.flag("onesided", false));
    return out;
}

Result<Attrs> transformAlong(NodeImport& n, const Transform& how, std::size_t axis,
                             const Dim& extent) {
    Exprs length{how.isReal() ? simplify(intExpr(2) * (extent - intExpr(1))) : extent};
    if (n.has(1)) {
        FW_TRY(length, n.sizes(1));
        if (length.size() != 1 || length.front().asInt().value_or(1) < 1)
            return n.malformed("its length is not one positive number");
    }
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    attrs.set("length", shapeAttr(length));
    if (how.isReal())
        return attrs;
    attrs.set("inverse", std::int64_t{how.inverse});
    attrs.set("onesided", std::int64_t{how.onesided});
    return attrs;
}

Status dftAlong(NodeImport& n, std::int64_t where) {
    FW_TRY(const Transform how, transformOf(n));
    FW_TRY(const ValueRef x, n.input(0));
    const Shape shape = n.type(x).shape;
    FW_TRY(const std::size_t axis, n.axis(where, shape.size()));
    if (axis + 1 == shape.size())
        return n.malformed("the last axis holds the parts of complex numbers");
    FW_TRY(Attrs attrs, transformAlong(n, how, axis, shape[axis]));
    return n.result(how.op(), {x}, std::move(attrs));
}

// The axes before and behind the one that is computed are one each, as large as they turn out.
Status dftRunning(NodeImport& n) {
    FW_TRY(const Transform how, transformOf(n));
    FW_TRY(const ValueRef x, n.input(0));
    const Shape shape = n.type(x).shape;
    if (shape.size() < 2)
        return n.malformed(
            fmt::format("{} has no axis beside the parts of complex numbers", n.type(x).text()));
    FW_TRY(const ValueRef axis, integerVector(n, 2));
    if (!n.type(axis).shape[0].isInt(1))
        return n.malformed("its axis is not one number");
    FW_TRY(const ValueRef extents, extentsOf(n, x));
    FW_TRY(const ValueRef parts, n.step("axis_parts", {axis, extents}));
    FW_TRY(const Exprs three, n.bound(parts, n.name() + "_part"));
    FW_TRY(const ValueRef apart, n.reshaped(x, {three[0], three[1], three[2], shape.back()}));
    FW_TRY(Attrs attrs, transformAlong(n, how, 1, three[1]));
    FW_TRY(const ValueRef y, n.step(how.op(), {apart}, std::move(attrs)));
    FW_TRY(const ValueRef own, n.step("shape", {y}));
    FW_TRY(const ValueRef whole, n.step("axis_replaced", {axis, extents, own}));
    FW_TRY(Exprs dims, n.boundExtents(whole));
    dims.back() = n.type(y).shape.back();
    return n.resultReshaped(y, dims);
}

Status dftAttribute(NodeImport& n) {
    FW_CHECK(n.need(1, 2));
    FW_TRY(const std::int64_t where, n.integer("axis", 1));
    return dftAlong(n, where);
}

Status dft(NodeImport& n) {
    FW_CHECK(n.need(1, 3));
    if (!n.has(2))
        return dftAlong(n, -2);
    const auto where = n.integers(2);
    if (!where)
        return dftRunning(n);
    if (where->size() != 1)
        return n.malformed("its axis is not one number");
    return dftAlong(n, where->front());
}

// One number of an operand that is known.
Result<double> numberOf(NodeImport& n, std::size_t operand) {
    const TensorData* data = n.computedConstant(operand);
    if (data == nullptr)
        return n.unsupported(fmt::format("operand {} is no constant", operand));
    if (data->count() != 1 || !std::isfinite(data->at(0)))
        return n.malformed(fmt::format("operand {} is not one number", operand));
    return data->at(0);
}

// The same of operands that are computed while the model runs.
Status melWeightsRunning(NodeImport& n, DType dtype) {
    FW_TRY(const Exprs bins, n.sizes(0));
    FW_TRY(const Exprs length, n.sizes(1));
    if (bins.size() != 1 || length.size() != 1)
        return n.malformed("its bins or its length are not one number");
    std::vector<ValueRef> rates;
    for (const std::size_t i : {2u, 3u, 4u}) {
        FW_TRY(ValueRef value, n.input(i));
        Attrs to;
        to.set("to", DType::F64);
        FW_TRY(value, n.step("cast", {value}, std::move(to)));
        FW_TRY(rates.emplace_back(), n.reshaped(value, {}));
    }
    Attrs attrs;
    attrs.set("bins", shapeAttr(bins));
    attrs.set("length", shapeAttr(length));
    attrs.set("to", dtype);
    return n.result("mel_weights", std::move(rates), std::move(attrs));
}

// Triangles over the bins of a spectrum whose corners lie at equal steps of the mel scale.
Status melWeights(NodeImport& n) {
    FW_CHECK(n.need(5, 5));
    FW_TRY(const std::int64_t code, n.integer("output_datatype", 1));
    const auto dtype = dtypeFromOnnx(code);
    if (!dtype || *dtype == DType::Text || *dtype == DType::Bool)
        return n.unsupported(fmt::format("output_datatype {} is not supported", code));
    for (std::size_t i = 0; i < 5; ++i)
        if (n.computedConstant(i) == nullptr)
            return melWeightsRunning(n, *dtype);
    double operands[5] = {};
    for (std::size_t i = 0; i < 5; ++i) {
        FW_TRY(operands[i], numberOf(n, i));
    }
    const auto [count, length, rate, low, high] = operands;
    if (!(count >= 1) || !(length >= 1) || !(rate >= 1) || !(low >= 0) || !(high >= low) ||
        count > (1 << 24) || length > (1 << 24) || high > 1e9)
        return n.malformed(fmt::format("{} bins of {} values at {} Hz, from {} Hz to {} Hz", count,
                                       length, rate, low, high));
    const auto columns = static_cast<std::int64_t>(count),
               rows = static_cast<std::int64_t>(length) / 2 + 1;
    if (columns * rows > n.tensorLimit() / 8)
        return makeDiag(DiagCode::LimitReached, "MelWeightMatrix is too large");
    const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    const double first = mel(low), step = (mel(high) - mel(low)) / (count + 2);
    std::vector<std::int64_t> corners;
    for (std::int64_t i = 0; i < columns + 2; ++i) {
        const double at = first + step * static_cast<double>(i);
        const double place = (length + 1) * 700 * (std::pow(10, at / 2595) - 1);
        corners.push_back(std::llround((place - std::fmod(place, rate)) / rate));
    }
    if (corners[corners.size() - 2] >= rows || corners.back() > rows)
        return n.malformed(fmt::format("{} Hz lie beyond the spectrum", high));
    std::vector<double> out(static_cast<std::size_t>(columns * rows), 0);
    for (std::int64_t column = 0; column < columns; ++column) {
        const auto* corner = &corners[static_cast<std::size_t>(column)];
        const auto set = [&](std::int64_t row, double weight) {
            out[static_cast<std::size_t>(row * columns + column)] = weight;
        };
        const auto rise = static_cast<double>(corner[1] - corner[0]),
                   fall = static_cast<double>(corner[2] - corner[1]);
        for (std::int64_t row = corner[0]; row < corner[1]; ++row)
            set(row, static_cast<double>(row - corner[0]) / rise);
        set(corner[1], 1);
        for (std::int64_t row = corner[1] + 1; row < corner[2]; ++row)
            set(row, static_cast<double>(corner[2] - row) / fall);
    }
    return n.constantResult(dataFromDoubles(*dtype, {rows, columns}, out));
}

} // namespace

std::span<const ImporterRow> signalImporters() {
    static constexpr ImporterRow rows[] = {
        {"DFT", 17, dftAttribute},
        {"DFT", 20, dft},
        {"MelWeightMatrix", 17, melWeights},
    };
    return rows;
}

} // namespace fw
