// Operators that select by value: how much they give is known when they have run. Each writes into
// room for all and says how much it wrote; that becomes a dimension, and the rest is cut off.
#include "expr/simplify.h"
#include "onnx/forms/running_sizes.h"
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

Result<ValueRef> made(NodeImport& n, LastStep step) {
    return n.step(step.op, std::move(step.inputs), std::move(step.attrs));
}

Result<ValueRef> isNotZero(NodeImport& n, ValueRef x) {
    if (n.type(x).dtype == DType::Bool)
        return x;
    Attrs to;
    to.set("to", DType::Bool);
    return n.step("cast", {x}, std::move(to));
}

struct Kept {
    ValueRef places; // i64[count]
    Dim count;
};

// The places of the elements of a vector that are not 0.
Result<Kept> keptOf(NodeImport& n, ValueRef vector) {
    FW_TRY(const ValueRef keep, isNotZero(n, vector));
    FW_TRY(const std::vector<ValueRef> found, n.steps("compact", {keep}));
    FW_TRY(const Exprs count, n.boundExtents(found.at(1)));
    FW_TRY(const ValueRef places, made(n, firstOf(n, found[0], count.at(0))));
    return Kept{places, count[0]};
}

Status resultPicked(NodeImport& n, ValueRef x, ValueRef places, std::size_t axis) {
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    return n.result("gather", {x, places}, std::move(attrs));
}

Status nonZero(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(ValueRef x, n.input(0));
    if (n.type(x).rank() == 0) // ONNX counts it as one axis
        return n.unsupported("of a single number is not supported");
    FW_TRY(const ValueRef extents, extentsOf(n, x));
    FW_TRY(x, n.reshaped(x, {simplify(elementCount(n.type(x).shape))}));
    FW_TRY(const Kept kept, keptOf(n, x));
    return n.result("unravel", {kept.places, extents});
}

Status compress(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(ValueRef x, n.input(0));
    FW_TRY(const ValueRef condition, n.input(1));
    std::size_t axis = 0;
    if (n.given("axis")) {
        FW_TRY(const std::int64_t where, n.integer("axis", 0));
        FW_TRY(axis, n.axis(where, n.type(x).rank()));
    } else {
        FW_TRY(x, n.reshaped(x, {simplify(elementCount(n.type(x).shape))}));
    }
    if (n.type(condition).rank() != 1)
        return n.malformed(fmt::format("its condition is {}", n.type(condition).text()));
    FW_TRY(const Kept kept, keptOf(n, condition));
    return resultPicked(n, x, kept.places, axis);
}

Status unique(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const bool ascending, n.flag("sorted", true));
    FW_TRY(ValueRef x, n.input(0));
    std::size_t axis = 0;
    if (n.given("axis")) {
        FW_TRY(const std::int64_t where, n.integer("axis", 0));
        FW_TRY(axis, n.axis(where, n.type(x).rank()));
    } else {
        FW_TRY(x, n.reshaped(x, {simplify(elementCount(n.type(x).shape))}));
    }
    // Its slices along the axis as rows.
    ValueRef rows = x;
    const Shape shape = n.type(x).shape;
    if (axis > 0) {
        Integers perm{static_cast<std::int64_t>(axis)};
        for (std::size_t i = 0; i < shape.size(); ++i)
            if (i != axis)
                perm.push_back(static_cast<std::int64_t>(i));
        Attrs order;
        order.set("perm", std::move(perm));
        FW_TRY(rows, n.step("transpose", {x}, std::move(order)));
    }
    const Shape moved = n.type(rows).shape;
    const Dim rest = simplify(elementCount({moved.begin() + 1, moved.end()}));
    FW_TRY(rows, n.reshaped(rows, {moved.at(0), rest}));
    Attrs attrs;
    attrs.set("ascending", std::int64_t{ascending});
    FW_TRY(const std::vector<ValueRef> found, n.steps("unique_rows", {rows}, std::move(attrs)));
    FW_TRY(const Exprs count, n.boundExtents(found.at(3)));
    FW_TRY(const ValueRef first, made(n, firstOf(n, found[0], count.at(0))));
    if (n.outputUsed(1))
        FW_CHECK(n.alias(1, first));
    if (n.outputUsed(2))
        FW_CHECK(n.alias(2, found[1]));
    if (n.outputUsed(3)) {
        FW_TRY(const ValueRef times, made(n, firstOf(n, found[2], count[0])));
        FW_CHECK(n.alias(3, times));
    }
    return resultPicked(n, x, first, axis);
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

// --- nodes of the own domain, as export_running.cpp writes them

Status bindDims(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const auto names, n.texts("dims"));
    FW_TRY(const ValueRef sizes, n.input(0));
    if (!names || names->empty())
        return n.malformed("has no names of dimensions");
    return n.resultBound(sizes, *names);
}

template <std::size_t operands>
Status ofShape(NodeImport& n, const char* op, Attrs attrs) {
    FW_CHECK(n.need(operands + 1, operands + 1));
    std::vector<ValueRef> inputs;
    for (std::size_t i = 0; i < operands; ++i) {
        FW_TRY(inputs.emplace_back(), n.input(i));
    }
    FW_TRY(const Exprs shape, n.sizes(operands));
    attrs.set("shape", shapeAttr(shape));
    return n.result(op, std::move(inputs), std::move(attrs));
}

Status sliceAt(NodeImport& n) {
    return ofShape<3>(n, "slice_at", {});
}

Status padAt(NodeImport& n) {
    Attrs attrs;
    FW_TRY(const std::string mode, n.text("mode", "constant"));
    attrs.set("mode", mode);
    return ofShape<3>(n, "pad_at", std::move(attrs));
}

Status sumTo(NodeImport& n) {
    return ofShape<1>(n, "sum_to", {});
}

Status maxTo(NodeImport& n) {
    return ofShape<1>(n, "max_to", {});
}

Status minTo(NodeImport& n) {
    return ofShape<1>(n, "min_to", {});
}

Status prodTo(NodeImport& n) {
    return ofShape<1>(n, "prod_to", {});
}

Status ownCompact(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const ValueRef keep, n.input(0));
    return n.result("compact", {keep});
}

Status uniqueRows(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const bool ascending, n.flag("ascending", true));
    FW_TRY(const ValueRef x, n.input(0));
    Attrs attrs;
    attrs.set("ascending", std::int64_t{ascending});
    return n.result("unique_rows", {x}, std::move(attrs));
}

Status ownSuppression(NodeImport& n) {
    FW_CHECK(n.need(6, 6));
    FW_TRY(const bool centered, n.flag("centered", false));
    std::vector<ValueRef> inputs;
    for (std::size_t i = 0; i < 5; ++i) {
        FW_TRY(inputs.emplace_back(), n.input(i));
    }
    FW_TRY(const Exprs room, n.sizes(5));
    Attrs attrs;
    attrs.set("room", shapeAttr(room));
    attrs.set("centered", std::int64_t{centered});
    return n.result("non_max_suppression", std::move(inputs), std::move(attrs));
}

constexpr ImporterRow rows[] = {
    {"BindDims", 1, bindDims, ownDomain},
    {"SliceAt", 1, sliceAt, ownDomain},
    {"PadAt", 1, padAt, ownDomain},
    {"SumTo", 1, sumTo, ownDomain},
    {"MaxTo", 1, maxTo, ownDomain},
    {"MinTo", 1, minTo, ownDomain},
    {"ProdTo", 1, prodTo, ownDomain},
    {"Compact", 1, ownCompact, ownDomain},
    {"UniqueRows", 1, uniqueRows, ownDomain},
    {"NonMaxSuppression", 1, ownSuppression, ownDomain},
    {"NonZero", 9, nonZero},
    {"Compress", 9, compress},
    {"Unique", 11, unique},
    {"NonMaxSuppression", 10, nonMaxSuppression},
};

} // namespace

std::span<const ImporterRow> runningImporters() {
    return rows;
}

} // namespace fw
