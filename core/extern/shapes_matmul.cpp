#include "expr/simplify.h"
#include "extern/shapes.h"

#include <fmt/format.h>

namespace fw {

using runtime::Role;

namespace {

Expr product(const Shape& shape, std::size_t begin, std::size_t end) {
    Expr out = 1;
    for (std::size_t i = begin; i < end; ++i)
        out = out * shape[i];
    return out;
}

// Leading axes as one: [P..., N] -> [P, N]. Broadcast shapes ([1, ..., N]) become [1, N].
Exprs asMatrix(const Shape& shape) {
    return {product(shape, 0, shape.size() - 1), shape.back()};
}

Shape padded(const Shape& shape, std::size_t rank) {
    Shape out(rank - shape.size(), Expr(1));
    out.insert(out.end(), shape.begin(), shape.end());
    return out;
}

bool isRowMajor(const CallSite& site, ValueRef value) {
    return site.graph->constant(value) != nullptr || site.layout(value).isRowMajor();
}

Result<ExternCall> asTwoMatrices(StepBuilder& builder, ValueRef a, ValueRef b, Exprs bDims,
                                 Exprs bStrides) {
    const Graph& graph = builder.graph();
    const Node& anchor = builder.anchor();
    const Shape& input = graph.type(a).shape;
    const Shape& result = anchor.outputs[0].type.shape;
    const Exprs inputDims = asMatrix(input), outputDims = asMatrix(result);
    builder.argument(Role::Output, builder.site().output(), outputDims,
                     rowMajorStrides(outputDims));
    builder.argument(Role::Input, a, inputDims, rowMajorStrides(inputDims));
    builder.weights(b, std::move(bDims), std::move(bStrides));
    const auto view = [](const Shape& shape) { return asMatrix(shape); };
    const auto place = [&](ValueRef value, const Shape& shape) -> std::optional<Placement> {
        if (!isRowMajor(builder.site(), value))
            return std::nullopt;
        return Placement{rowMajorStrides(asMatrix(shape)), 0};
    };
    FW_CHECK(builder.tail(view, place, result.size() - 1));
    return builder.take();
}

} // namespace

Result<ExternCall> buildDense(const CallSite& site) {
    StepBuilder builder(site, runtime::CallKind::Matmul);
    const ValueRef x = builder.anchor().inputs[0], w = builder.anchor().inputs[1];
    const Shape& weights = site.graph->type(w).shape;
    if (!isRowMajor(site, site.output()))
        return no("its result is stored in another order");
    if (!isRowMajor(site, x) || !isRowMajor(site, w))
        return no("an operand is stored in another order");
    return asTwoMatrices(builder, x, w, {weights[1], weights[0]}, {Expr(1), weights[1]});
}

Result<ExternCall> buildMatmul(const CallSite& site) {
    StepBuilder builder(site, runtime::CallKind::Matmul);
    const Graph& graph = *site.graph;
    const Node& anchor = builder.anchor();
    const ValueRef a = anchor.inputs[0], b = anchor.inputs[1];
    const Shape& left = graph.type(a).shape;
    const Shape& right = graph.type(b).shape;
    const Shape& result = anchor.outputs[0].type.shape;
    if (!isRowMajor(site, site.output()))
        return no("its result is stored in another order");
    if (left.size() < 2 || right.size() < 2)
        return no("an operand is a vector");
    const std::size_t rank = result.size();
    const Shape l = padded(left, rank), r = padded(right, rank);
    bool flat = isRowMajor(site, a) && isRowMajor(site, b);
    for (std::size_t d = 0; d + 2 < rank; ++d)
        flat = flat && r[d].isInt(1) && l[d] == result[d];
    if (flat)
        return asTwoMatrices(builder, a, b, {right[right.size() - 2], right.back()},
                             {right.back(), Expr(1)});

    for (std::size_t d = 0; d + 2 < rank; ++d)
        for (const Expr& own : {l[d], r[d]})
            if (!own.isInt(1) && !proveEqual(own, result[d]))
                return no(fmt::format("whether {} is {} or 1 is known when the model runs",
                                      own.text(), result[d].text()));

    // A batch. With the same leading axes on both sides they are one.
    bool same = rank > 3 && isRowMajor(site, a) && isRowMajor(site, b);
    for (std::size_t d = 0; d + 2 < rank; ++d)
        same = same && l[d] == result[d] && r[d] == result[d];
    const auto view = [same, rank](const Shape& shape) -> Exprs {
        const Shape full = padded(shape, rank);
        if (!same)
            return full;
        return {product(full, 0, rank - 2), full[rank - 2], full[rank - 1]};
    };
    const auto place = [&](ValueRef value, const Shape& shape) -> std::optional<Placement> {
        if (isRowMajor(site, value))
            return Placement{rowMajorStrides(view(shape)), 0};
        if (same || shape.size() != rank)
            return std::nullopt;
        return placementOf(shape, site.layout(value));
    };
    const auto at = place(a, left), bt = place(b, right);
    if (!at || !bt)
        return no("an operand is stored in another order");
    builder.argument(Role::Output, site.output(), view(result), rowMajorStrides(view(result)));
    builder.argument(Role::Input, a, view(l), at->strides, at->offset);
    builder.argument(Role::Weights, b, view(r), bt->strides, bt->offset);
    FW_CHECK(builder.tail(view, place, rank - 1));
    return builder.take();
}

} // namespace fw
