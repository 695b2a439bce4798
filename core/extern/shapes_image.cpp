#include "extern/shapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

using runtime::CallKind;
using runtime::Role;

namespace {

// The plan's order; where both orders are the same bytes, channels-last, which the library likes.
std::optional<Placement> placeImage(const CallSite& site, ValueRef value, const Shape& shape) {
    const StorageMap map =
        site.graph->constant(value) != nullptr ? StorageMap{} : site.layout(value);
    return placementOf(shape, map.isRowMajor() && sameEitherWay(shape) ? channelsLast(4) : map);
}

Status addImages(StepBuilder& builder) {
    const CallSite& site = builder.site();
    const Node& anchor = builder.anchor();
    const Shape& output = anchor.outputs[0].type.shape;
    const Shape& input = builder.graph().type(anchor.inputs[0]).shape;
    if (input.size() != 4)
        return no("it has images of two axes only");
    const auto to = placeImage(site, site.output(), output);
    const auto from = placeImage(site, anchor.inputs[0], input);
    if (!to || !from)
        return no("an image is stored in blocks");
    builder.argument(Role::Output, site.output(), output, to->strides, to->offset);
    builder.argument(Role::Input, anchor.inputs[0], input, from->strides, from->offset);
    return {};
}

// The calls are made for pads that are known before any size is.
Status fixedAttributes(const Node& node) {
    for (const auto& [name, value] : node.attrs)
        if (std::holds_alternative<Exprs>(value))
            return no(fmt::format("{} depends on sizes that are free", name));
    return {};
}

Status addTail(StepBuilder& builder) {
    const CallSite& site = builder.site();
    const auto view = [](const Shape& shape) -> Exprs { return shape; };
    // Constants are brought into the order of the images while compiling.
    const auto place = [&site](ValueRef value, const Shape& shape) {
        return site.graph->constant(value) != nullptr && shape.size() == 4
                   ? placementOf(shape, channelsLast(4))
                   : placeImage(site, value, shape);
    };
    return builder.tail(view, place, 1);
}

// Filters are fixed in number and size, and there is at least one of each.
Status fixedFilters(const StepBuilder& builder, std::vector<std::int64_t>& extents) {
    const ValueRef weights = builder.anchor().inputs[1];
    if (builder.graph().constant(weights) == nullptr)
        return no("its weights are not constant");
    extents = fixedExtents(builder.graph().type(weights).shape).value();
    if (std::any_of(extents.begin(), extents.end(), [](std::int64_t e) { return e < 1; }))
        return no("its weights are empty");
    return {};
}

Exprs exprs(const Integers& values) {
    return {values.begin(), values.end()};
}

Integers part(const Integers& values, std::size_t begin) {
    return {values[begin], values[begin + 1]};
}

} // namespace

Result<ExternCall> buildConvolution(const CallSite& site, CallKind kind) {
    StepBuilder builder(site, kind);
    const Node& node = builder.anchor();
    FW_CHECK(fixedAttributes(node));
    FW_CHECK(addImages(builder));
    std::vector<std::int64_t> w; // O, CG, KH, KW
    FW_CHECK(fixedFilters(builder, w));
    const std::int64_t groups = node.attrs.integer("groups", 1);
    Integers dims = w;
    if (groups > 1)
        dims = {groups, w[0] / groups, w[1], w[2], w[3]};
    const Exprs shape = exprs(dims);
    builder.weights(node.inputs[1], shape, rowMajorStrides(shape));
    const Integers pads = node.attrs.integers("pads", {0, 0, 0, 0});
    builder.attributes(node.attrs.integers("strides", {1, 1}));
    builder.attributes(node.attrs.integers("dilations", {1, 1}));
    builder.attributes(part(pads, 0));
    builder.attributes(part(pads, 2));
    FW_CHECK(addTail(builder));
    return builder.take();
}

Result<ExternCall> buildDeconvolution(const CallSite& site) {
    StepBuilder builder(site, CallKind::Deconvolution);
    const Node& node = builder.anchor();
    FW_CHECK(fixedAttributes(node));
    FW_CHECK(addImages(builder));
    std::vector<std::int64_t> w; // C, OG, KH, KW; the library reads O before C
    FW_CHECK(fixedFilters(builder, w));
    const std::int64_t groups = node.attrs.integer("groups", 1);
    const std::int64_t size = w[2] * w[3];
    Integers dims = {w[1], w[0] / groups, w[2], w[3]};
    Integers strides = {size, w[1] * size, w[3], 1};
    if (groups > 1) {
        dims.insert(dims.begin(), groups);
        strides.insert(strides.begin(), w[0] / groups * w[1] * size);
    }
    builder.weights(node.inputs[1], exprs(dims), exprs(strides));
    const Integers pads = node.attrs.integers("pads", {0, 0, 0, 0});
    const Integers extra = node.attrs.integers("output_padding", {0, 0});
    builder.attributes(node.attrs.integers("strides", {1, 1}));
    builder.attributes(node.attrs.integers("dilations", {1, 1}));
    builder.attributes(part(pads, 0));
    // Rows that output_padding adds are rows that the high pad does not cut off.
    builder.attributes({pads[2] - extra[0], pads[3] - extra[1]});
    FW_CHECK(addTail(builder));
    return builder.take();
}

Result<ExternCall> buildPool(const CallSite& site, Pooled pooled, PoolWindow window) {
    const Node& node = site.graph->node(site.anchor);
    FW_CHECK(fixedAttributes(node));
    const bool largest = pooled == Pooled::Largest;
    const Integers pads = node.attrs.integers("pads", {0, 0, 0, 0});
    const Integers counted = node.attrs.integers("counted", {0, 0, 0, 0});
    const bool padded = std::any_of(pads.begin(), pads.end(), [](auto p) { return p != 0; });
    const bool none = std::all_of(counted.begin(), counted.end(), [](auto c) { return c == 0; });
    if (!largest && padded && !none && counted != pads)
        return no("its windows count some of the padding");
    const CallKind kind = largest          ? CallKind::MaxPool
                          : padded && none ? CallKind::AveragePool
                                           : CallKind::FullAveragePool;
    StepBuilder builder(site, kind);
    FW_CHECK(addImages(builder));
    const Shape& input = site.graph->type(node.inputs[0]).shape;
    if (window == PoolWindow::WholeImage) {
        builder.attributes({1, 1, 1, 1});
        builder.attribute(input[2]);
        builder.attribute(input[3]);
        builder.attributes({0, 0, 0, 0});
    } else {
        const Integers extents = node.attrs.integers("kernel_shape");
        const Integers dilations = node.attrs.integers("dilations", {1, 1});
        for (std::size_t i = 0; i < 4; ++i)
            if (pads[i] > (extents[i % 2] - 1) * dilations[i % 2])
                return no("a window may lie in the padding altogether");
        builder.attributes(node.attrs.integers("strides", {1, 1}));
        builder.attributes(dilations);
        builder.attributes(extents);
        builder.attributes(part(pads, 0));
        builder.attributes(part(pads, 2));
    }
    FW_CHECK(addTail(builder));
    return builder.take();
}

} // namespace fw
