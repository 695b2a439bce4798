// Operators that select by value: how much they give is known when they have run. Each writes into
// room for all and says how much it wrote; that becomes a dimension, and the rest is cut off.
#include "expr/simplify.h"
#include "onnx/forms/running_sizes.h"
#include "onnx/read/importers.h"
#include "onnx/schema/own.h"

#include <fmt/format.h>

namespace fw {

namespace {

// The first `count` entries of the first axis.
LastStep firstOf(NodeImport& n, ValueRef x, const Dim& count) {
    const auto rank = n.type(x).rank();
    const auto perAxis = [&](const char* name, std::int64_t value) {
        return n.addConstant(name, dataFromIntegers(DType::I64, {static_cast<std::int64_t>(rank)},
                                                    Integers(rank, value)));
    };
    Shape shape = n.type(x).shape;
    shape.at(0) = count;
    LastStep out{"slice_at", {x, perAxis("zeros", 0), perAxis("ones", 1)}, {}};
    out.attrs.set("shape", shapeAttr(shape));
    return out;
}

// One number of that type, as a vector; `fallback` where the operand is absent.
Result<ValueRef> oneNumber(NodeImport& n, std::size_t i, DType dtype, double fallback) {
    if (!n.has(i))
        return n.addConstant(fmt::format("number{}", i), dataFromDoubles(dtype, {1}, {fallback}));
    FW_TRY(ValueRef value, n.input(i));
    if (n.type(value).dtype != dtype) {
        Attrs to;
        to.set("to", dtype);
        FW_TRY(value, n.step("cast", {value}, std::move(to)));
    }
    return n.reshaped(value, {intExpr(1)});
}

Status nonMaxSuppression(NodeImport& n) {
    FW_CHECK(n.need(2, 5));
    FW_TRY(const bool centered, n.flag("center_point_box", false));
    FW_TRY(const ValueRef boxes, n.input(0));
    FW_TRY(const ValueRef scores, n.input(1));
    const Shape shape = n.type(scores).shape;
    if (shape.size() != 3)
        return n.malformed(fmt::format("its scores are {}", n.type(scores).text()));
    Dim each = shape[2]; // boxes per image and class
    if (const auto most = n.has(2) ? n.integers(2) : std::optional(Integers{0});
        most && most->size() == 1)
        each = minExpr(each, Expr(std::max<std::int64_t>(most->front(), 0)));
    FW_TRY(const ValueRef most, oneNumber(n, 2, DType::I64, 0));
    FW_TRY(const ValueRef overlap, oneNumber(n, 3, DType::F32, 0));
    FW_TRY(const ValueRef least, oneNumber(n, 4, DType::F32, -3.4028234663852886e38));
    Attrs attrs;
    attrs.set("room", shapeAttr({simplify(shape[0] * shape[1] * each)}));
    attrs.set("centered", std::int64_t{centered});
    FW_TRY(const std::vector<ValueRef> found,
           n.steps("non_max_suppression", {boxes, scores, most, overlap, least}, std::move(attrs)));
    FW_TRY(const Exprs count, n.boundExtents(found.at(1)));
    LastStep selected = firstOf(n, found[0], count.at(0));
    return n.result(selected.op, std::move(selected.inputs), std::move(selected.attrs));
}

Status bindDims(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const auto names, n.texts("dims"));
    FW_TRY(const ValueRef sizes, n.input(0));
    if (!names || names->empty())
        return n.malformed("has no names of dimensions");
    return n.resultBound(sizes, *names);
}

} // namespace

std::span<const ImporterRow> runningImporters() {
    static constexpr ImporterRow rows[] = {
        {"BindDims", 1, bindDims, ownDomain},
        {"NonMaxSuppression", 10, nonMaxSuppression},
    };
    return rows;
}

} // namespace fw
