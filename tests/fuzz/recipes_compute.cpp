#include "fuzz/recipes.h"

#include <algorithm>
#include <numeric>

namespace fw::fuzz {

namespace {

std::int64_t lastExtent(Maker& maker, Id id) {
    const std::size_t rank = maker.at(id).type.rank();
    return rank == 0 ? 0 : maker.fixedExtent(id, rank - 1);
}

// Weights are constants, mostly.
Id weights(Maker& maker, const std::vector<std::int64_t>& extents) {
    return maker.random.chance(92) ? maker.constant(extents) : maker.input(fixedShape(extents));
}

Id dense(Maker& maker) {
    const Id id = maker.ofRank(maker.random.chance(60) ? 2 : 1 + maker.random.below(4));
    const std::int64_t k = lastExtent(maker, id);
    return k == 0 ? none : maker.one("dense", {id, weights(maker, {maker.channels(), k})});
}

Id batchMatmul(Maker& maker) {
    const Id a = maker.ofRank(2 + maker.random.below(3));
    const Maker::Known known = maker.at(a);
    const std::int64_t k = lastExtent(maker, a);
    if (k == 0)
        return none;
    Shape shape = known.type.shape;
    shape[shape.size() - 2] = Dim(k);
    shape.back() = Dim(maker.channels());
    for (std::size_t i = 0; i + 2 < shape.size(); ++i)
        if (maker.random.chance(25))
            shape[i] = Dim(1);
    if (shape.size() > 2 && maker.random.chance(30))
        shape.erase(shape.begin());
    const auto extents = fixedExtents(shape);
    Id b = maker.choose([&](const Maker::Known& one) {
        const Shape& of = one.type.shape;
        return maker.isMain(one) && of.size() >= 2 && of[of.size() - 2] == Dim(k);
    });
    if (b == none || maker.random.chance(60))
        b = extents && maker.random.chance(60) ? maker.constant(*extents) : maker.input(shape);
    if (maker.random.chance(15)) // transposed weights
        b = detour(maker, b);
    return maker.one("batch_matmul", {a, b});
}

Id attention(Maker& maker) {
    const Id queries = maker.ofRank(2 + maker.random.below(3));
    Shape shape = maker.at(queries).type.shape;
    const std::size_t last = shape.size() - 1;
    const Dim rows = maker.extent();
    const auto operand = [&](const Dim& before, const Dim& behind) {
        Shape out = shape;
        out[last - 1] = before;
        out[last] = behind;
        for (std::size_t i = 0; i + 1 < last; ++i)
            if (maker.random.chance(15))
                out[i] = Dim(1);
        return maker.input(out);
    };
    std::vector<Id> operands = {queries, operand(shape[last], rows),
                                operand(rows, Dim(maker.channels()))};
    if (maker.random.chance(50))
        operands.push_back(operand(maker.random.chance(50) ? Dim(1) : shape[last - 1], rows));
    return maker.one("attention", operands, attributes({{"scale", maker.factor(0.25)}}));
}

Id conv2d(Maker& maker) {
    const Id image = maker.ofRank(4);
    static const std::vector<std::int64_t> kernels = {1, 1, 3, 3, 3, 2, 5};
    return convolution(maker, image, maker.random.pick(kernels), maker.channels(),
                       maker.random.chance(50));
}

Id convTranspose(Maker& maker) {
    const Id image = maker.ofRank(4);
    const std::int64_t channels = maker.fixedExtent(image, 1);
    if (channels == 0)
        return none;
    const std::int64_t groups = maker.random.chance(70)                        ? 1
                                : channels % 2 == 0 && maker.random.chance(50) ? 2
                                                                               : channels;
    const std::int64_t stride = maker.random.between(1, 3), kh = maker.random.between(1, 4),
                       kw = maker.random.between(1, 3);
    Attrs attrs =
        attributes({{"strides", Integers{stride, maker.random.between(1, 2)}}, {"groups", groups}});
    if (maker.random.chance(50))
        attrs.set("pads", Integers{maker.random.between(0, 1), 0, maker.random.between(0, 1), 1});
    if (maker.random.chance(20))
        attrs.set("dilations", Integers{2, 1});
    if (stride > 1 && maker.random.chance(25))
        attrs.set("output_padding", Integers{1, 0});
    return maker.one("conv_transpose2d",
                     {image, weights(maker, {channels, maker.random.between(1, 9), kh, kw})},
                     attrs);
}

Id pool(Maker& maker, const char* op) {
    const Id image = maker.ofRank(4);
    const Integers kernel = {maker.random.between(1, 3), maker.random.between(1, 3)};
    Attrs attrs = attributes({{"kernel_shape", kernel}});
    if (maker.random.chance(60))
        attrs.set("strides", Integers{maker.random.between(1, 3), maker.random.between(1, 2)});
    const bool average = std::string_view(op) == "avg_pool2d";
    if (maker.random.chance(8)) { // cut off
        attrs.set("pads", Integers{maker.random.between(-2, 1), maker.random.between(-1, 1), 0,
                                   maker.random.between(-2, 0)});
    } else if (maker.random.chance(50)) {
        Integers pads(4);
        for (std::size_t i = 0; i < 4; ++i)
            pads[i] = maker.random.between(0, std::min<std::int64_t>(1, kernel[i % 2] - 1));
        attrs.set("pads", pads);
        if (average && maker.random.chance(50))
            attrs.set("counted", pads);
    }
    if (!average && maker.random.chance(20))
        attrs.set("dilations", Integers{2, 1});
    return maker.one(op, {image}, attrs);
}

Id lrn(Maker& maker) {
    const Id id = maker.ofRank(4);
    return maker.one(
        "lrn", {id},
        attributes({{"size", maker.random.between(1, 5)},
                    {"alpha", maker.factor(0.01)},
                    // No power leaves f32.
                    {"beta", maker.random.pick(std::vector{0.75, 0.75, 0.0, 1.0, -0.5, 2.0})},
                    {"bias", maker.factor(1)}}));
}

Id rows(Maker& maker, const char* op) {
    const Id id = maker.value();
    const std::size_t rank = maker.at(id).type.rank();
    if (rank == 0)
        return none;
    const std::int64_t axis = saidAxis(maker, id, maker.axisOf(id));
    return maker.one(op, {id}, maker.random.chance(50) ? Attrs{} : attributes({{"axis", axis}}));
}

Id layernorm(Maker& maker) {
    const Id id = maker.value();
    const std::int64_t extent = lastExtent(maker, id);
    if (extent == 0)
        return none;
    const std::vector<Id> out =
        maker.call("layernorm", {id, maker.constant({extent}), maker.constant({extent})},
                   attributes({{"eps", maker.factor(maker.random.chance(50) ? 0.01 : 0.5)}}));
    return maker.random.chance(80) ? out.front() : out.back();
}

Id reduce(Maker& maker, const char* op) {
    const Id id = maker.value();
    Integers axes;
    const auto rank = static_cast<std::int64_t>(maker.at(id).type.rank());
    for (std::int64_t axis = 0; axis < rank; ++axis)
        if (maker.random.chance(45))
            axes.push_back(maker.random.chance(20) ? axis - rank : axis);
    Attrs attrs = attributes({{"axes", axes}});
    if (maker.random.chance(50))
        attrs.set("keepdims", std::int64_t(maker.random.chance(50) ? 1 : 0));
    return maker.one(op, {id}, attrs);
}

} // namespace

Id convolution(Maker& maker, Id image, std::int64_t kernel, std::int64_t filters, bool samePads) {
    if (image == none)
        return none;
    const std::int64_t channels = maker.fixedExtent(image, 1);
    if (channels == 0)
        return none;
    std::int64_t groups = 1;
    if (maker.random.chance(15)) {
        groups = filters = channels; // depthwise
    } else if (maker.random.chance(15) && channels % 2 == 0) {
        groups = 2;
        filters = filters % 2 == 0 ? filters : filters + 1;
    }
    Attrs attrs;
    if (groups != 1)
        attrs.set("groups", groups);
    const std::int64_t same = kernel / 2;
    if (samePads && kernel % 2 == 1 && kernel > 1)
        attrs.set("pads", Integers{same, same, same, same});
    else if (maker.random.chance(30))
        attrs.set("pads", Integers{maker.random.between(maker.random.chance(10) ? -2 : 0, 1),
                                   maker.random.between(0, 1), maker.random.between(0, 2),
                                   maker.random.between(maker.random.chance(10) ? -1 : 0, 1)});
    if (!samePads && maker.random.chance(40))
        attrs.set("strides", Integers{maker.random.between(1, 2), maker.random.between(1, 2)});
    if (!samePads && maker.random.chance(15))
        attrs.set("dilations", Integers{2, maker.random.between(1, 2)});
    const std::int64_t width = !samePads && maker.random.chance(15) ? 1 : kernel;
    return maker.one("conv2d", {image, weights(maker, {filters, channels / groups, kernel, width})},
                     attrs);
}

std::vector<Recipe> computeRecipes() {
    std::vector<Recipe> out = {{"dense", 12, dense},
                               {"batch_matmul", 12, batchMatmul},
                               {"conv2d", 20, conv2d},
                               {"conv_transpose2d", 6, convTranspose},
                               {"lrn", 3, lrn},
                               {"layernorm", 6, layernorm},
                               {"attention", 4, attention}};
    for (const char* op : {"max_pool2d", "avg_pool2d"})
        out.push_back({op, 6, [op](Maker& maker) { return pool(maker, op); }});
    for (const char* op : {"global_average_pool", "global_max_pool"})
        out.push_back({op, 3, [op](Maker& maker) { return maker.one(op, {maker.ofRank(4)}); }});
    for (const char* op : {"softmax", "log_softmax"})
        out.push_back({op, 5, [op](Maker& maker) { return rows(maker, op); }});
    for (const char* op : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"})
        out.push_back({op, 4, [op](Maker& maker) { return reduce(maker, op); }});
    return out;
}

} // namespace fw::fuzz
