// Between floats and small integers: with one scale and zero point, with one for each position of
// an axis, or with one for each block of positions.
#include "onnx/model/tensor_proto.h"
#include "onnx/read/filled.h"
#include "onnx/read/node_import.h"

#include <fmt/format.h>

namespace fw {

namespace {

// Scale and zero point, of rank 0 or 1, or of the rank of x.
struct Steps {
    ValueRef scale, zero;
    std::optional<std::size_t> axis; // none: one for all
    std::int64_t block = 0;          // positions of the axis that share one; 0: none do
};

Result<ValueRef> asNumber(NodeImport& n, ValueRef value) {
    if (n.type(value).rank() == 0)
        return value;
    return n.reshaped(value, {});
}

// Without a zero point it is 0 of `type`.
Result<Steps> stepsOf(NodeImport& n, std::size_t rank, DType type) {
    FW_TRY(const std::int64_t block, n.integer("block_size", 0));
    FW_TRY(const std::int64_t where, n.integer("axis", 1));
    Steps out;
    FW_TRY(out.scale, n.input(1));
    const Shape shape = n.type(out.scale).shape;
    if (block < 0)
        return n.malformed(fmt::format("blocks of {} elements", block));
    const bool blocked = block > 0 && shape.size() == rank && rank > 0;
    if (!blocked && (block > 0 || shape.size() > 1))
        return n.unsupported(fmt::format("scales {} for an operand of {} axes are not supported",
                                         shapeText(shape), rank));
    const bool one = !blocked && (shape.empty() || shape[0].isInt(1));
    if (n.has(2)) {
        FW_TRY(out.zero, n.input(2));
    } else {
        FW_TRY(out.zero, filled(n, "zero_point", one ? Shape() : shape, type, 0));
    }
    if (one) {
        FW_TRY(out.scale, asNumber(n, out.scale));
        FW_TRY(out.zero, asNumber(n, out.zero));
        return out;
    }
    FW_TRY(out.axis, n.axis(where, rank));
    out.block = block;
    return out;
}

// `as`: the element type of the result, where it is another.
Status finish(NodeImport& n, std::string op, ValueRef x, const Steps& steps,
              std::optional<DType> as = std::nullopt) {
    Attrs attrs;
    if (steps.axis) {
        attrs.set("axis", static_cast<std::int64_t>(*steps.axis));
        if (steps.block > 0)
            attrs.set("block", steps.block);
        op += steps.block > 0 ? "_blocks" : "_along";
    }
    if (!as)
        return n.result(op, {x, steps.scale, steps.zero}, std::move(attrs));
    FW_TRY(const ValueRef y, n.step(op, {x, steps.scale, steps.zero}, std::move(attrs)));
    Attrs to;
    to.set("to", *as);
    return n.result("cast", {y}, std::move(to));
}

Status quantizeLinear(NodeImport& n) {
    FW_CHECK(n.need(2, 3));
    FW_TRY(const std::int64_t code, n.integer("output_dtype", 0));
    FW_TRY([[maybe_unused]] const bool saturate, n.flag("saturate", true)); // of 8-bit floats
    const auto type = code == 0 ? std::optional(DType::U8) : dtypeFromOnnx(code);
    if (!type || !isInteger(*type))
        return n.unsupported(fmt::format("output_dtype {} is not supported", code));
    FW_TRY(ValueRef x, n.input(0));
    FW_TRY(const Steps steps, stepsOf(n, n.type(x).rank(), *type));
    if (const DType dtype = n.type(steps.scale).dtype; n.type(x).dtype != dtype) {
        Attrs to;
        to.set("to", dtype);
        FW_TRY(x, n.step("cast", {x}, std::move(to)));
    }
    return finish(n, "quantize", x, steps);
}

Status dequantizeLinear(NodeImport& n) {
    FW_CHECK(n.need(2, 3));
    FW_TRY(const std::int64_t code, n.integer("output_dtype", 0)); // without it the scale's
    FW_TRY(const ValueRef x, n.input(0));
    FW_TRY(const Steps steps, stepsOf(n, n.type(x).rank(), n.type(x).dtype));
    const auto as = code == 0 ? std::optional(n.type(steps.scale).dtype) : dtypeFromOnnx(code);
    if (!as || !isFloat(*as))
        return n.unsupported(fmt::format("output_dtype {} is not supported", code));
    return finish(n, "dequantize", x, steps, *as == n.type(steps.scale).dtype ? std::nullopt : as);
}

constexpr ImporterRow rows[] = {
    {"QuantizeLinear", 10, quantizeLinear},
    {"DequantizeLinear", 10, dequantizeLinear},
    {"QuantizeLinear", 1, quantizeLinear, "com.microsoft"},
    {"DequantizeLinear", 1, dequantizeLinear, "com.microsoft"},
};

} // namespace

std::span<const ImporterRow> quantizationImporters() {
    return rows;
}

} // namespace fw
