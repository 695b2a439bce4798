// Operators that pick or place elements by index, by size or by order.
#include "onnx/read/node_import.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace fw {

namespace {

Result<ValueRef> castTo(NodeImport& n, const ValueRef& x, DType to) {
    Attrs attrs;
    attrs.set("to", to);
    return n.step("cast", {x}, std::move(attrs));
}

Status argExtreme(NodeImport& n, const std::string& op) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const std::int64_t where, n.integer("axis", 0));
    FW_TRY(const bool keepdims, n.flag("keepdims", true));
    FW_TRY(const bool last, n.flag("select_last_index", false));
    FW_TRY(const ValueRef x, n.input(0));
    Shape shape = n.type(x).shape;
    FW_TRY(const std::size_t axis, n.axis(where, shape.size()));
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    attrs.set("last", std::int64_t{last});
    if (!keepdims)
        return n.result(op, {x}, std::move(attrs));
    FW_TRY(const ValueRef y, n.step(op, {x}, std::move(attrs)));
    shape[axis] = intExpr(1);
    return n.resultReshaped(y, shape);
}

Status argMax(NodeImport& n) {
    return argExtreme(n, "arg_max");
}
Status argMin(NodeImport& n) {
    return argExtreme(n, "arg_min");
}

Status topOf(NodeImport& n, const Expr& count) {
    FW_TRY(const std::int64_t where, n.integer("axis", -1));
    FW_TRY(const bool largest, n.flag("largest", true));
    FW_TRY([[maybe_unused]] const bool sorted, n.flag("sorted", true)); // any order will do
    FW_TRY(const ValueRef x, n.input(0));
    FW_TRY(const std::size_t axis, n.axis(where, n.type(x).rank()));
    const auto extent = n.type(x).shape[axis].asInt(), k = count.asInt();
    if (k && (*k < 0 || (extent && *k > *extent)))
        return n.malformed(fmt::format("{} entries of axis {} of {}", *k, axis, n.type(x).text()));
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    attrs.set("count", shapeAttr({count}));
    attrs.set("largest", std::int64_t{largest});
    return n.result("top_k", {x}, std::move(attrs));
}

Status topKAttribute(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const std::int64_t k, n.integer("k", -1));
    return topOf(n, Expr(k));
}

Status topK(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const Exprs k, n.sizes(1));
    if (k.size() != 1)
        return n.malformed(fmt::format("k has {} elements, not one", k.size()));
    return topOf(n, k.front());
}

Result<ValueRef> summedAlong(NodeImport& n, ValueRef x, std::size_t axis, bool exclusive,
                             bool reverse) {
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    attrs.set("exclusive", std::int64_t{exclusive});
    attrs.set("reverse", std::int64_t{reverse});
    return n.step("cumsum", {x}, std::move(attrs));
}

// An axis that is computed while running: the sums along every axis, of which one is chosen.
Status cumSum(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const bool exclusive, n.flag("exclusive", false));
    FW_TRY(const bool reverse, n.flag("reverse", false));
    FW_TRY(const ValueRef x, n.input(0));
    const std::size_t rank = n.type(x).rank();
    if (const auto where = n.integers(1)) {
        if (where->size() != 1)
            return n.malformed(fmt::format("axis has {} elements, not one", where->size()));
        FW_TRY(const std::size_t axis, n.axis(where->front(), rank));
        FW_TRY(const ValueRef y, summedAlong(n, x, axis, exclusive, reverse));
        return n.alias(0, y);
    }
    if (rank == 0)
        return n.malformed("a single number has no axis");
    FW_TRY(ValueRef where, n.input(1));
    FW_TRY(where, n.reshaped(where, {}));
    const DType dtype = n.type(where).dtype;
    FW_TRY(ValueRef y, summedAlong(n, x, 0, exclusive, reverse));
    for (std::size_t axis = 1; axis < rank; ++axis) {
        FW_TRY(const ValueRef along, summedAlong(n, x, axis, exclusive, reverse));
        ValueRef chosen;
        for (const std::int64_t spelling :
             {static_cast<std::int64_t>(axis), static_cast<std::int64_t>(axis - rank)}) {
            const ValueRef number = n.scalarConstant("axis", static_cast<double>(spelling), dtype);
            FW_TRY(const ValueRef is, n.step("equal", {where, number}));
            if (!chosen.valid()) {
                chosen = is;
            } else {
                FW_TRY(chosen, n.step("or", {chosen, is}));
            }
        }
        FW_TRY(y, n.step("where", {chosen, along, y}));
    }
    n.note("the axis is chosen while the model runs, among the sums along every axis");
    return n.alias(0, y);
}

// Its first entries along every axis but one, where the indices have fewer.
Result<ValueRef> cutTo(NodeImport& n, ValueRef x, const Shape& shape, std::size_t axis) {
    const Shape own = n.type(x).shape;
    Integers axes, starts, ends;
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (i == axis || own[i] == shape[i])
            continue;
        const auto extent = shape[i].asInt();
        if (!extent || (own[i].asInt() && *own[i].asInt() < *extent))
            return makeDiag(DiagCode::ShapeMismatch,
                            fmt::format("indices of shape {} do not lie in {}", shapeText(shape),
                                        n.type(x).text()));
        axes.push_back(static_cast<std::int64_t>(i));
        starts.push_back(0);
        ends.push_back(*extent);
    }
    if (axes.empty())
        return x;
    Attrs attrs;
    attrs.set("steps", Integers(axes.size(), 1));
    attrs.set("axes", std::move(axes));
    attrs.set("starts", std::move(starts));
    attrs.set("ends", std::move(ends));
    return n.step("slice", {x}, std::move(attrs));
}

Status gatherElements(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const std::int64_t where, n.integer("axis", 0));
    FW_TRY(ValueRef x, n.input(0));
    FW_TRY(const ValueRef index, n.input(1));
    const std::size_t rank = n.type(x).rank();
    FW_TRY(const std::size_t axis, n.axis(where, rank));
    if (n.type(index).rank() != rank)
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("indices {} for {}", n.type(index).text(), n.type(x).text()));
    FW_TRY(x, cutTo(n, x, n.type(index).shape, axis));
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    return n.result("gather_elements", {x, index}, std::move(attrs));
}

// Operands as they are, or as numbers where truths are reduced.
struct Scattered {
    ValueRef x, index, updates;
    std::string reduction;
    bool ofTruths = false;

    Status result(NodeImport& n, const std::string& op, Attrs attrs) const {
        if (!ofTruths)
            return n.result(op, {x, index, updates}, std::move(attrs));
        FW_TRY(const ValueRef y, n.step(op, {x, index, updates}, std::move(attrs)));
        Attrs to;
        to.set("to", DType::Bool);
        return n.result("cast", {y}, std::move(to));
    }
};

Result<Scattered> scattered(NodeImport& n) {
    FW_CHECK(n.need(3, 3));
    Scattered out;
    FW_TRY(out.reduction, n.text("reduction", "none"));
    FW_TRY(out.x, n.input(0));
    FW_TRY(out.index, n.input(1));
    FW_TRY(out.updates, n.input(2));
    out.ofTruths = n.type(out.x).dtype == DType::Bool && out.reduction != "none";
    if (!out.ofTruths)
        return out;
    FW_TRY(out.x, castTo(n, out.x, DType::U8));
    FW_TRY(out.updates, castTo(n, out.updates, DType::U8));
    if (out.reduction == "add") // a sum of 256 would be 0
        out.reduction = "max";
    return out;
}

Result<std::string> scatterOp(NodeImport& n, const std::string& reduction) {
    if (reduction == "none")
        return std::string("scatter");
    if (reduction == "add" || reduction == "mul" || reduction == "max" || reduction == "min")
        return "scatter_" + reduction;
    return n.malformed("there is no reduction '" + reduction + "'");
}

Status scatterElements(NodeImport& n) {
    FW_TRY(const Scattered operands, scattered(n));
    FW_TRY(const std::string op, scatterOp(n, operands.reduction));
    FW_TRY(const std::int64_t where, n.integer("axis", 0));
    const ValueRef x = operands.x, index = operands.index;
    const std::size_t rank = n.type(x).rank();
    FW_TRY(const std::size_t axis, n.axis(where, rank));
    if (n.type(index).rank() != rank)
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("indices {} for {}", n.type(index).text(), n.type(x).text()));
    const Shape& shape = n.type(x).shape;
    for (std::size_t i = 0; i < rank; ++i) {
        const auto few = n.type(index).shape[i].asInt(), all = shape[i].asInt();
        if (i != axis && few && all && *few > *all)
            return makeDiag(
                DiagCode::ShapeMismatch,
                fmt::format("indices {} do not lie in {}", n.type(index).text(), n.type(x).text()));
    }
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    return operands.result(n, op, std::move(attrs));
}

Status gatherND(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const std::int64_t batch, n.integer("batch_dims", 0));
    FW_TRY(const ValueRef x, n.input(0));
    FW_TRY(const ValueRef index, n.input(1));
    Attrs attrs;
    attrs.set("batch_dims", batch);
    return n.result("gather_nd", {x, index}, std::move(attrs));
}

Status scatterND(NodeImport& n) {
    FW_TRY(const Scattered operands, scattered(n));
    Attrs attrs;
    attrs.set("reduction", operands.reduction);
    return operands.result(n, "scatter_nd", std::move(attrs));
}

Status oneHot(NodeImport& n) {
    FW_CHECK(n.need(3, 3));
    FW_TRY(const std::int64_t where, n.integer("axis", -1));
    FW_TRY(ValueRef index, n.input(0));
    Exprs depth;
    if (const auto fixed = n.scalar(1)) {
        if (!(*fixed >= 0) || *fixed > 1e15)
            return n.malformed(fmt::format("depth {} is out of range", *fixed));
        depth = {Expr(static_cast<std::int64_t>(*fixed))};
    } else {
        FW_TRY(depth, n.sizes(1));
        if (depth.size() != 1)
            return n.malformed(fmt::format("its depth has {} elements, not one", depth.size()));
    }
    FW_TRY(const ValueRef values, n.input(2));
    if (isFloat(n.type(index).dtype)) {
        FW_TRY(index, castTo(n, index, DType::I64));
    }
    const std::size_t rank = n.type(index).rank();
    FW_TRY(const std::size_t axis, n.axis(where, rank + 1));
    Attrs attrs;
    attrs.set("depth", shapeAttr(depth));
    if (axis == rank)
        return n.result("one_hot", {index, values}, std::move(attrs));
    FW_TRY(const ValueRef y, n.step("one_hot", {index, values}, std::move(attrs)));
    Integers perm(rank); // the last axis to its place
    std::iota(perm.begin(), perm.end(), 0);
    perm.insert(perm.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<std::int64_t>(rank));
    Attrs order;
    order.set("perm", std::move(perm));
    return n.result("transpose", {y}, std::move(order));
}

Status reverseSequence(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const std::int64_t time, n.integer("time_axis", 0));
    FW_TRY(const std::int64_t batch, n.integer("batch_axis", 1));
    if ((time != 0 || batch != 1) && (time != 1 || batch != 0))
        return n.malformed(fmt::format("time_axis {} and batch_axis {}", time, batch));
    FW_TRY(ValueRef x, n.input(0));
    FW_TRY(const ValueRef lengths, n.input(1));
    const std::size_t rank = n.type(x).rank();
    if (rank < 2)
        return n.malformed(fmt::format("{} has no two axes", n.type(x).text()));
    FW_CHECK(n.needBetween(1, 0, n.type(x).shape[static_cast<std::size_t>(time)]));
    if (time == 0)
        return n.result("reverse_sequence", {x, lengths});
    Integers exchanged(rank);
    std::iota(exchanged.begin(), exchanged.end(), 0);
    std::swap(exchanged[0], exchanged[1]);
    Attrs perm;
    perm.set("perm", exchanged);
    FW_TRY(x, n.step("transpose", {x}, perm));
    FW_TRY(x, n.step("reverse_sequence", {x, lengths}));
    return n.result("transpose", {x}, perm);
}

constexpr ImporterRow rows[] = {
    {"ArgMax", 1, argMax},
    {"ArgMin", 1, argMin},
    {"TopK", 1, topKAttribute},
    {"TopK", 10, topK},
    {"CumSum", 11, cumSum},
    {"GatherElements", 11, gatherElements},
    {"GatherND", 11, gatherND},
    {"Scatter", 9, scatterElements},
    {"ScatterElements", 11, scatterElements},
    {"ScatterND", 11, scatterND},
    {"OneHot", 9, oneHot},
    {"ReverseSequence", 10, reverseSequence},
};

} // namespace

std::span<const ImporterRow> selectionImporters() {
    return rows;
}

} // namespace fw
