// Reductions. Axes are made positive and sorted; none given means all of them.
#include "onnx/node_import.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

Status reduceOver(NodeImport& n, const std::string& op, const std::optional<Integers>& given) {
    FW_TRY(const bool keepdims, n.flag("keepdims", true));
    const std::int64_t keep = keepdims ? 1 : 0;
    FW_TRY(const bool noop, n.flag("noop_with_empty_axes", false));
    FW_TRY(const ValueRef x, n.input(0));
    const Shape shape = n.type(x).shape;
    std::vector<std::size_t> axes;
    for (const std::int64_t where : given.value_or(Integers())) {
        FW_TRY(const std::size_t axis, n.axis(where, shape.size()));
        axes.push_back(axis);
    }
    std::sort(axes.begin(), axes.end());
    if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
        return n.malformed("an axis is named twice");
    if (axes.empty()) {
        if (noop || shape.empty())
            return n.result("identity", {x});
        for (std::size_t i = 0; i < shape.size(); ++i)
            axes.push_back(i);
    }
    Attrs attrs;
    attrs.set("axes", Integers(axes.begin(), axes.end()));
    attrs.set("keepdims", keep);
    return n.result(op, {x}, std::move(attrs));
}

Status reduceAttribute(NodeImport& n, const std::string& op) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const auto axes, n.list("axes"));
    return reduceOver(n, op, axes);
}

Status reduceOperand(NodeImport& n, const std::string& op) {
    FW_CHECK(n.need(1, 2));
    FW_TRY(const auto axes, n.listOrOperand("axes", 1));
    return reduceOver(n, op, axes);
}

Status sumOld(NodeImport& n) {
    return reduceAttribute(n, "reduce_sum");
}
Status sum(NodeImport& n) {
    return reduceOperand(n, "reduce_sum");
}
Status mean(NodeImport& n) {
    return reduceOperand(n, "reduce_mean"); // operand since 18
}
Status max(NodeImport& n) {
    return reduceOperand(n, "reduce_max");
}
Status min(NodeImport& n) {
    return reduceOperand(n, "reduce_min");
}
Status prod(NodeImport& n) {
    return reduceOperand(n, "reduce_prod");
}

constexpr ImporterRow rows[] = {
    {"ReduceSum", 1, sumOld}, {"ReduceSum", 13, sum}, {"ReduceMean", 1, mean},
    {"ReduceMax", 1, max},    {"ReduceMin", 1, min},  {"ReduceProd", 1, prod},
};

} // namespace

std::span<const ImporterRow> reductionImporters() {
    return rows;
}

} // namespace fw
