#include "fuzz/numbers.h"
#include "fuzz/recipes.h"

#include <algorithm>
#include <cmath>

namespace fw::fuzz {

namespace {

std::int64_t flag(Maker& maker) {
    return maker.random.chance(50) ? 1 : 0;
}

// An image with 0 to 3 axes of places, mostly one or three: two have operators of their own.
Id volume(Maker& maker) {
    static const std::vector<std::size_t> ranks = {3, 3, 3, 5, 5, 4, 2};
    return maker.ofRank(maker.random.pick(ranks));
}

// Numbers per axis of places.
Integers each(Maker& maker, std::size_t axes, std::int64_t low, std::int64_t high,
              int percent = 100) {
    Integers out(axes, low);
    for (std::int64_t& one : out)
        if (maker.random.chance(percent))
            one = maker.random.between(low, high);
    return out;
}

Attrs windows(Maker& maker, std::size_t axes, std::int64_t mostPads) {
    return attributes({{"strides", each(maker, axes, 1, 3, 40)},
                       {"before", each(maker, axes, 0, mostPads, 40)},
                       {"behind", each(maker, axes, 0, mostPads, 40)},
                       {"dilations", each(maker, axes, 1, 2, 25)}});
}

Id conv(Maker& maker) {
    const Id image = volume(maker);
    const std::int64_t channels = maker.fixedExtent(image, 1);
    if (channels == 0)
        return none;
    const std::size_t axes = maker.at(image).type.rank() - 2;
    const std::int64_t groups = maker.random.chance(60)                        ? 1
                                : channels % 2 == 0 && maker.random.chance(50) ? 2
                                                                               : channels;
    Attrs attrs = windows(maker, axes, 2);
    if (groups != 1 || maker.random.chance(20))
        attrs.set("groups", groups);
    std::vector<std::int64_t> extents = {groups * maker.random.between(1, 5), channels / groups};
    for (const std::int64_t kernel : each(maker, axes, 1, 3))
        extents.push_back(kernel);
    return maker.one("conv",
                     {image, maker.random.chance(80) ? maker.constant(extents)
                                                     : maker.input(fixedShape(extents))},
                     attrs);
}

Id convTranspose(Maker& maker) {
    const Id image = volume(maker);
    const std::int64_t channels = maker.fixedExtent(image, 1);
    if (channels == 0)
        return none;
    const std::size_t axes = maker.at(image).type.rank() - 2;
    const std::int64_t groups = maker.random.chance(60)                        ? 1
                                : channels % 2 == 0 && maker.random.chance(50) ? 2
                                                                               : channels;
    Attrs attrs = windows(maker, axes, 1);
    attrs.set("output_padding", each(maker, axes, 0, 1, 25));
    if (groups != 1 || maker.random.chance(20))
        attrs.set("groups", groups);
    std::vector<std::int64_t> extents = {channels, maker.random.between(1, 5)};
    for (const std::int64_t kernel : each(maker, axes, 1, 3))
        extents.push_back(kernel);
    return maker.one("conv_transpose",
                     {image, maker.random.chance(80) ? maker.constant(extents)
                                                     : maker.input(fixedShape(extents))},
                     attrs);
}

Id pool(Maker& maker, const char* op) {
    const Id image = volume(maker);
    const std::size_t axes = maker.at(image).type.rank() - 2;
    Attrs attrs = windows(maker, axes, 0);
    const Integers kernel = each(maker, axes, 1, 3);
    attrs.set("kernel_shape", kernel);
    Integers before(axes, 0), behind(axes, 0);
    for (std::size_t i = 0; i < axes; ++i)
        if (maker.random.chance(40)) {
            before[i] = maker.random.between(0, kernel[i] - 1);
            behind[i] = maker.random.between(0, kernel[i] - 1);
        }
    attrs.set("before", before);
    attrs.set("behind", behind);
    static const std::vector<double> norms = {1, 2, 2, 3};
    if (std::string_view(op) == "lp_pool" && maker.random.chance(70))
        attrs.set("p", maker.random.pick(norms));
    if (std::string_view(op) == "avg_pool") {
        const bool counts = maker.random.chance(50);
        attrs.set("count_before", counts ? before : Integers(axes, 0));
        attrs.set("count_behind", counts ? behind : Integers(axes, 0));
    }
    return maker.one(op, {image}, attrs);
}

Id maxPoolPlaces(Maker& maker) {
    const Id image = maker.ofRank(4);
    const Integers kernel = {maker.random.between(1, 3), maker.random.between(1, 3)};
    Attrs attrs = attributes({{"kernel_shape", kernel}});
    if (maker.random.chance(60))
        attrs.set("strides", each(maker, 2, 1, 3));
    if (maker.random.chance(50)) {
        Integers pads(4);
        for (std::size_t i = 0; i < 4; ++i)
            pads[i] = maker.random.between(0, kernel[i % 2] - 1);
        attrs.set("pads", pads);
    }
    if (maker.random.chance(20))
        attrs.set("dilations", Integers{2, 1});
    if (maker.random.chance(30))
        attrs.set("by_columns", flag(maker));
    return maker.one("max_pool2d_places", {image}, attrs);
}

Id volumePlaces(Maker& maker) {
    const Id image = maker.ofRank(5);
    const Integers kernel = each(maker, 3, 1, 3);
    Attrs attrs = windows(maker, 3, 0);
    attrs.set("kernel_shape", kernel);
    for (const char* side : {"before", "behind"}) {
        Integers pads(3);
        for (std::size_t i = 0; i < 3; ++i)
            pads[i] = maker.random.between(0, kernel[i] - 1);
        if (maker.random.chance(50))
            attrs.set(side, pads);
    }
    if (maker.random.chance(30))
        attrs.set("by_columns", flag(maker));
    return maker.one("max_pool3d_places", {image}, attrs);
}

// As exporters map places: halves of pixels, corners on corners, or plainly; and regions, some of
// whose places lie outside.
Id resize(Maker& maker, const std::string& op) {
    const Id id = maker.value();
    if (maker.at(id).type.rank() == 0)
        return none;
    const std::size_t axis = maker.axisOf(id);
    const std::int64_t extent = maker.extents(id)[axis];
    static const std::vector<std::int64_t> usual = {1, 2, 3, 5, 7, 8};
    const std::int64_t size = maker.random.chance(40)  ? 2 * extent
                              : maker.random.chance(3) ? 0
                                                       : maker.random.pick(usual);
    const double from = static_cast<double>(extent),
                 to = static_cast<double>(std::max<std::int64_t>(size, 1));
    double step = from, start = 0, under = to;
    switch (maker.random.below(4)) {
    case 0:
        step = 2 * from;
        start = from - to;
        under = 2 * to;
        break;
    case 1:
        step = to > 1 ? from - 1 : 0;
        under = to > 1 ? to - 1 : 1;
        break;
    case 2:
        step = 0.5 * static_cast<double>(maker.random.between(-2, 4));
        start = 0.25 * static_cast<double>(maker.random.between(-8, 12));
        under = maker.random.chance(50) ? 1 : 3;
        break;
    default:
        break;
    }
    Attrs attrs =
        attributes({{"axis", saidAxis(maker, id, axis)}, {"size", Integers{size}}, {"step", step}});
    if (start != 0)
        attrs.set("start", start);
    if (under != 1)
        attrs.set("under", under);
    if (op == "resize_nearest" && maker.random.chance(75))
        attrs.set("rounding", maker.random.between(0, 4));
    if (op == "resize_cubic") {
        if (maker.random.chance(50))
            attrs.set("a", maker.factor(-0.5));
        if (maker.random.chance(40))
            attrs.set("exclude", flag(maker));
    }
    if (op == "resize_filtered") {
        const bool cubic = maker.random.chance(50);
        const double scale = maker.random.chance(70) ? std::min(to / from, 0.9) : 0.375;
        attrs.set("scale", scale);
        attrs.set("taps", static_cast<std::int64_t>(std::ceil((cubic ? 2 : 1) / scale)));
        attrs.set("cubic", std::int64_t{cubic});
        if (maker.random.chance(40))
            attrs.set("exclude", flag(maker));
    }
    if (maker.random.chance(40)) {
        attrs.set("crop", std::int64_t{1});
        attrs.set("outside", maker.factor(static_cast<double>(maker.random.between(-2, 2))));
    }
    return maker.one(op, {id}, attrs);
}

Id gridSample(Maker& maker) {
    const Id image = maker.ofRank(4);
    static const std::vector<std::int64_t> taps = {1, 2, 2, 4};
    const Shape shape = {maker.at(image).type.shape[0], Dim(maker.random.between(1, 5)),
                         Dim(maker.random.between(1, 4)), Dim(2)};
    Id grid = maker.input(shape);
    if (maker.random.chance(30)) // a little beyond the borders
        grid = maker.one("mul", {maker.one("tanh", {grid}), maker.number(1.375)});
    Attrs attrs =
        attributes({{"taps", maker.random.pick(taps)}, {"padding", maker.random.between(0, 2)}});
    if (maker.random.chance(60))
        attrs.set("align", flag(maker));
    return maker.one("grid_sample", {image, grid}, attrs);
}

Id roiAlign(Maker& maker, const char* op) {
    const Id image = maker.ofRank(4);
    if (!isFloat(maker.main()))
        return none;
    const std::int64_t regions = maker.random.between(maker.random.chance(5) ? 0 : 1, 4);
    std::vector<double> corners;
    for (std::int64_t i = 0; i < regions; ++i) {
        const double left = 0.5 * static_cast<double>(maker.random.between(-3, 6)),
                     top = 0.5 * static_cast<double>(maker.random.between(-3, 6));
        corners.insert(corners.end(),
                       {left, top, left + 0.75 * static_cast<double>(maker.random.between(0, 8)),
                        top + 0.75 * static_cast<double>(maker.random.between(0, 8))});
    }
    const Id rois = maker.random.chance(70)
                        ? maker.constantOf(dataOf(maker.main(), {regions, 4}, corners))
                        : maker.input(fixedShape({regions, 4}));
    const Id batch = places(maker, {regions}, 0, DType::I64);
    Attrs attrs =
        attributes({{"height", maker.random.between(1, 3)}, {"width", maker.random.between(1, 3)}});
    if (!std::string_view(op).ends_with("_adaptive"))
        attrs.set("ratio", maker.random.between(1, 3));
    if (maker.random.chance(50))
        attrs.set("scale", maker.random.chance(50) ? 0.5 : 1.25);
    if (maker.random.chance(50))
        attrs.set("half", flag(maker));
    return maker.one(op, {image, rois, batch}, attrs);
}

Id rotaryEmbedding(Maker& maker) {
    const Id id = maker.ofRank(4);
    const std::int64_t width = maker.fixedExtent(id, 3);
    if (width < 2)
        return none;
    const std::int64_t half =
        maker.random.chance(60) ? width / 2 : maker.random.between(1, width / 2);
    const Shape& shape = maker.at(id).type.shape;
    const Shape table = {shape[0], shape[2], Dim(half)};
    Attrs attrs;
    if (maker.random.chance(60))
        attrs.set("interleaved", flag(maker));
    if (2 * half != width || maker.random.chance(30))
        attrs.set("turned", 2 * half);
    return maker.one("rotary_embedding", {id, maker.input(table), maker.input(table)}, attrs);
}

Id rmsNorm(Maker& maker) {
    const Id id = maker.value();
    const std::size_t rank = maker.at(id).type.rank();
    const std::int64_t extent = rank == 0 ? 0 : maker.fixedExtent(id, rank - 1);
    if (extent == 0)
        return none;
    return maker.one("rms_norm", {id, maker.constant({extent})},
                     attributes({{"eps", maker.factor(maker.random.chance(50) ? 0.01 : 0.5)}}));
}

Id instanceNorm(Maker& maker) {
    const Id id = maker.ofRank(maker.random.chance(50) ? 4 : 2 + maker.random.below(4));
    const std::int64_t channels = maker.fixedExtent(id, 1);
    if (channels == 0)
        return none;
    return maker.one("instance_norm", {id, maker.constant({channels}), maker.constant({channels})},
                     attributes({{"eps", maker.factor(maker.random.chance(50) ? 0.01 : 0.5)}}));
}

} // namespace

std::vector<Recipe> windowRecipes() {
    std::vector<Recipe> out = {{"conv", 4, conv},
                               {"conv_transpose", 4, convTranspose},
                               {"max_pool2d_places", 3, maxPoolPlaces},
                               {"grid_sample", 3, gridSample},
                               {"max_pool3d_places", 2, volumePlaces},
                               {"rotary_embedding", 3, rotaryEmbedding},
                               {"rms_norm", 4, rmsNorm},
                               {"instance_norm", 4, instanceNorm}};
    for (const char* op : {"max_pool", "avg_pool", "lp_pool"})
        out.push_back({op, 3, [op](Maker& maker) { return pool(maker, op); }});
    for (const char* op :
         {"roi_align", "roi_align_max", "roi_align_adaptive", "roi_align_max_adaptive"})
        out.push_back({op, 3, [op](Maker& maker) { return roiAlign(maker, op); }});
    for (const char* op : {"resize_nearest", "resize_linear", "resize_cubic", "resize_filtered"})
        out.push_back({op, 3, [op](Maker& maker) { return resize(maker, op); }});
    return out;
}

} // namespace fw::fuzz
