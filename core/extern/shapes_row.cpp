#include "extern/shapes.h"

namespace fw {

using runtime::Role;

namespace {

Status addRows(StepBuilder& builder) {
    const CallSite& site = builder.site();
    const Node& node = builder.anchor();
    const Shape& shape = node.outputs[0].type.shape;
    if (shape.empty() || !site.epilogue.empty())
        return no(shape.empty() ? "a scalar operand" : "it takes nothing behind it");
    if (site.layout(node.inputs[0]) != site.layout(site.output()))
        return no("operand and result are stored in different orders");
    const auto at = placementOf(shape, site.layout(site.output()));
    if (!at)
        return no("a tensor is stored in blocks");
    builder.argument(Role::Output, site.output(), shape, at->strides, at->offset);
    builder.argument(Role::Input, node.inputs[0], shape, at->strides, at->offset);
    return {};
}

} // namespace

Result<ExternCall> buildSoftmax(const CallSite& site, runtime::CallKind kind) {
    const Node& node = site.graph->node(site.anchor);
    StepBuilder builder(site, kind);
    FW_CHECK(addRows(builder));
    const auto rank = static_cast<std::int64_t>(node.outputs[0].type.rank());
    const std::int64_t axis = node.attrs.integer("axis", -1);
    builder.attributes({axis < 0 ? axis + rank : axis});
    return builder.take();
}

Result<ExternCall> buildLayerNorm(const CallSite& site) {
    const Graph& graph = *site.graph;
    StepBuilder builder(site, runtime::CallKind::LayerNorm);
    const Node& node = builder.anchor();
    for (int i = 1; i < static_cast<int>(node.outputs.size()); ++i)
        if (!graph.uses({node.id, i}).empty() || graph.isResult({node.id, i}))
            return no("its mean or deviation is used");
    FW_CHECK(addRows(builder));
    const Shape& row = graph.type(node.inputs[1]).shape;
    if (!row[0].asInt() || *row[0].asInt() < 1 || !site.layout(site.output()).isRowMajor())
        return no("rows are empty or of free length");
    builder.argument(Role::Scale, node.inputs[1], row, {Expr(1)});
    builder.argument(Role::Shift, node.inputs[2], row, {Expr(1)});
    builder.epsilon(node.attrs.real("eps", 1e-5));
    return builder.take();
}

} // namespace fw
