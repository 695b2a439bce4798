// Operators that know nothing of elements but where they lie: extents, fillings, triangles, ranges.
#include "expr/simplify.h"
#include "onnx/forms/running_sizes.h"
#include "onnx/model/tensor_proto.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fw {

namespace {

Status shape(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const ValueRef x, n.input(0));
    const auto rank = static_cast<std::int64_t>(n.type(x).rank());
    FW_TRY(std::int64_t start, n.integer("start", 0));
    FW_TRY(std::int64_t end, n.integer("end", rank));
    for (std::int64_t* bound : {&start, &end})
        *bound = std::clamp<std::int64_t>(*bound < 0 ? *bound + rank : *bound, 0, rank);
    if (start == 0 && end == rank)
        return n.result("shape", {x});
    FW_TRY(const ValueRef whole, n.step("shape", {x}));
    Attrs attrs;
    attrs.set("starts", Integers{start});
    attrs.set("ends", Integers{std::max(start, end)});
    attrs.set("axes", Integers{0});
    attrs.set("steps", Integers{1});
    return n.result("slice", {whole}, std::move(attrs));
}

// The shape is known over free dimensions (a fixed one never comes here: it is a constant).
Status constantOfShape(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const Exprs target, n.sizes(0));
    TensorData value = dataFromDoubles(DType::F32, {1}, {0});
    if (auto given = n.tensor("value")) {
        if (!*given)
            return given->takeDiag();
        value = given->take();
    }
    if (value.count() != 1)
        return n.malformed(fmt::format("its value has {} elements, not one", value.count()));
    Attrs attrs;
    attrs.set("shape", shapeAttr(target));
    attrs.set("value", value.reshaped({1}));
    return n.result("constant_of_shape", {}, std::move(attrs));
}

Status trilu(NodeImport& n) {
    FW_CHECK(n.need(1, 2));
    FW_TRY(const bool upper, n.flag("upper", true));
    FW_TRY(const ValueRef x, n.input(0));
    std::vector<ValueRef> inputs{x};
    if (n.has(1)) {
        FW_TRY(ValueRef k, n.input(1));
        if (n.type(k).rank() != 0) {
            FW_TRY(k, n.reshaped(k, {}));
        }
        inputs.push_back(k);
    }
    Attrs attrs;
    attrs.set("upper", std::int64_t{upper});
    return n.result("trilu", std::move(inputs), std::move(attrs));
}

Status eyeLike(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const std::int64_t k, n.integer("k", 0));
    FW_TRY(const ValueRef x, n.input(0));
    DType dtype = n.type(x).dtype;
    if (n.given("dtype")) {
        FW_TRY(const std::int64_t code, n.integer("dtype", 1));
        const auto wanted = dtypeFromOnnx(code);
        if (!wanted || *wanted == DType::Text)
            return n.unsupported(fmt::format("dtype {} is not supported", code));
        dtype = *wanted;
    }
    Attrs attrs;
    attrs.set("to", dtype);
    attrs.set("k", k);
    return n.result("eye", {x}, std::move(attrs));
}

// The number of elements over free dimensions (a fixed one never comes here: it is a constant).
Status size(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const ValueRef x, n.input(0));
    FW_TRY(const ValueRef extents, n.step("shape", {x}));
    Attrs attrs;
    attrs.set("axes", Integers{0});
    attrs.set("keepdims", std::int64_t{0});
    return n.result("reduce_prod", {extents}, std::move(attrs));
}

// From operand 0 of a Range to operand 1; of integers beyond 2^53 what a double says is another
// one.
double spanOf(const NodeImport& n, double start, double limit) {
    const TensorData* from = n.constant(0);
    const TensorData* to = n.constant(1);
    std::int64_t span = 0;
    return from != nullptr && to != nullptr && !isFloat(from->dtype()) && !isFloat(to->dtype()) &&
                   !__builtin_sub_overflow(to->integerAt(0), from->integerAt(0), &span)
               ? static_cast<double>(span)
               : limit - start;
}

// How many steps lead from `start` to before `limit`.
Result<std::int64_t> stepsBetween(NodeImport& n, double start, double limit, double delta) {
    const double count = std::ceil(spanOf(n, start, limit) / delta);
    if (delta == 0 || !std::isfinite(count))
        return n.malformed(fmt::format("from {} to {} by {}", start, limit, delta));
    if (count > 1e12)
        return makeDiag(DiagCode::DimOverflow, fmt::format("Range: {} elements", count));
    return static_cast<std::int64_t>(std::max(count, 0.0));
}

// Start and step may be computed while running if the number of elements is known.
Status range(NodeImport& n) {
    FW_CHECK(n.need(3, 3));
    const auto number = [&](std::size_t i) -> std::optional<double> {
        const TensorData* data = n.computedConstant(i);
        return n.scalar(i) || data == nullptr || data->count() != 1 ? n.scalar(i) : data->at(0);
    };
    const auto start = number(0), limit = number(1), delta = number(2);
    if ((!start && !n.shapeValues(0)) || (!limit && !n.shapeValues(1)) || !delta)
        return rangeRunning(n);
    std::vector<ValueRef> inputs;
    for (const std::size_t i : {0u, 2u}) {
        FW_TRY(ValueRef value, n.input(i));
        if (n.type(value).rank() != 0) {
            FW_TRY(value, n.reshaped(value, {}));
        }
        inputs.push_back(value);
    }
    Attrs attrs;
    if (start && limit && delta) {
        FW_TRY(const std::int64_t count, stepsBetween(n, *start, *limit, *delta));
        attrs.set("size", Integers{count});
    } else {
        const auto from = n.shapeValues(0), to = n.shapeValues(1), by = n.shapeValues(2);
        const auto step = by && by->size() == 1 ? by->front().asInt() : std::nullopt;
        if (!from || !to || !step || *step == 0 || from->size() != 1 || to->size() != 1)
            return rangeRunning(n);
        const Expr span = *step > 0 ? to->front() - from->front() : from->front() - to->front();
        attrs.set(
            "size",
            shapeAttr({simplify(maxExpr(ceilDivExpr(span, Expr(std::abs(*step))), Expr(0)))}));
    }
    return n.result("range", std::move(inputs), std::move(attrs));
}

constexpr ImporterRow rows[] = {
    {"Shape", 1, shape},  {"ConstantOfShape", 9, constantOfShape},
    {"Trilu", 14, trilu}, {"EyeLike", 9, eyeLike},
    {"Size", 1, size},    {"Range", 11, range},
};

} // namespace

std::span<const ImporterRow> shapeImporters() {
    return rows;
}

} // namespace fw
