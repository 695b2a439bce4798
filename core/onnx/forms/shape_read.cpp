// Ranges: how many numbers they have is computed of their operands.
#include "expr/simplify.h"
#include "onnx/forms/running_sizes.h"
#include "onnx/read/importers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fw {

namespace {

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

} // namespace

std::span<const ImporterRow> shapeImporters() {
    static constexpr ImporterRow rows[] = {
        {"Range", 11, range},
    };
    return rows;
}

} // namespace fw
