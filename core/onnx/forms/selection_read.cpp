// Operators that pick or place elements by index, by size or by order.
#include "onnx/read/node_import.h"

#include <fmt/format.h>
#include <numeric>

namespace fw {

namespace {

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
        Attrs to;
        to.set("to", DType::I64);
        FW_TRY(index, n.step("cast", {index}, std::move(to)));
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
    {"CumSum", 11, cumSum},
    {"OneHot", 9, oneHot},
    {"ReverseSequence", 10, reverseSequence},
};

} // namespace

std::span<const ImporterRow> selectionImporters() {
    return rows;
}

} // namespace fw
