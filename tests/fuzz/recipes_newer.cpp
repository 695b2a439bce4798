// Operators of ONNX's sets from 18 on: grids, blocks in columns, windows whose taps are moved, what
// is written into a cache, heads that share keys.
#include "fuzz/recipes.h"

namespace fw::fuzz {

namespace {

std::int64_t flag(Maker& maker) {
    return maker.random.chance(50) ? 1 : 0;
}

Id centerCropPad(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none)
        return none;
    Integers axes, shape;
    for (std::size_t axis = maker.at(id).type.rank(); axis-- > 0;)
        if (maker.random.chance(60)) {
            axes.push_back(static_cast<std::int64_t>(axis));
            shape.push_back(maker.random.between(maker.random.chance(5) ? 0 : 1, 9));
        }
    return maker.one("center_crop_pad", {id}, attributes({{"shape", shape}, {"axes", axes}}));
}

Id columns(Maker& maker, const char* op, std::size_t rank) {
    Integers image, block, dilations, strides, pads(2 * rank);
    std::int64_t taps = 1, places = 1;
    for (std::size_t d = 0; d < rank; ++d) {
        image.push_back(maker.random.between(3, 6));
        block.push_back(maker.random.between(1, 3));
        dilations.push_back(maker.random.between(1, 2));
        strides.push_back(maker.random.between(1, 3));
        for (const std::size_t side : {d, d + rank})
            pads[side] = maker.random.chance(40) ? maker.random.between(0, 2) : 0;
        const std::int64_t room =
            image[d] + pads[d] + pads[d + rank] - dilations[d] * (block[d] - 1) - 1;
        if (room < 0)
            return none;
        taps *= block[d];
        places *= room / strides[d] + 1;
    }
    const Id id =
        maker.input({maker.extent(), Dim(taps * maker.random.between(1, 2)), Dim(places)});
    return maker.one(op, {id},
                     attributes({{"image", image},
                                 {"block", block},
                                 {"dilations", dilations},
                                 {"strides", strides},
                                 {"pads", pads}}));
}

Id deformed(Maker& maker) {
    const std::int64_t groups = maker.random.between(1, 2), own = maker.random.between(1, 2),
                       inside = own * maker.random.between(1, 2), channels = groups * inside,
                       filters = groups * maker.random.between(1, 2),
                       height = maker.random.between(3, 6), width = maker.random.between(3, 6),
                       rows = maker.random.between(1, 3), columns = maker.random.between(1, 3),
                       stride = maker.random.between(1, 2), pad = maker.random.between(0, 1);
    const Dim batch = maker.extent(), oh((height + 2 * pad - rows) / stride + 1),
              ow((width + 2 * pad - columns) / stride + 1);
    std::vector<Id> operands{maker.input({batch, Dim(channels), Dim(height), Dim(width)}),
                             maker.constant({filters, inside, rows, columns}),
                             maker.input({batch, Dim(own * rows * columns * 2), oh, ow})};
    if (maker.random.chance(60)) {
        operands.push_back(maker.constant({filters}));
        operands.push_back(maker.input({batch, Dim(own * rows * columns), oh, ow}));
    }
    return maker.one("deform_conv2d", operands,
                     attributes({{"groups", groups},
                                 {"offset_groups", own},
                                 {"strides", Integers{stride, stride}},
                                 {"pads", Integers{pad, pad, pad, pad}}}));
}

Id grid(Maker& maker, const char* op, std::int64_t rank) {
    const std::int64_t batch = maker.random.between(1, 3);
    Integers size{batch, 1};
    for (std::int64_t d = 0; d < rank; ++d)
        size.push_back(maker.random.between(1, 4));
    return maker.one(op, {maker.input(fixedShape({batch, rank, rank + 1}))},
                     attributes({{"size", size}, {"align", flag(maker)}}));
}

Id volume(Maker& maker) {
    const Dim batch = maker.extent();
    const Id image =
        maker.input({batch, Dim(maker.random.between(1, 3)), Dim(maker.random.between(1, 4)),
                     Dim(maker.random.between(1, 4)), Dim(maker.random.between(1, 5))});
    const Id places =
        maker.input({batch, Dim(maker.random.between(1, 3)), Dim(maker.random.between(1, 3)),
                     Dim(maker.random.between(1, 3)), Dim(3)});
    return maker.one("grid_sample_volume", {image, places},
                     attributes({{"taps", maker.random.between(1, 2)},
                                 {"padding", maker.random.between(0, 2)},
                                 {"align", flag(maker)}}));
}

Id written(Maker& maker) {
    const std::int64_t batch = maker.random.between(1, 3), room = maker.random.between(2, 6),
                       rows = maker.random.between(1, room), width = maker.random.between(1, 5);
    const Id cache = maker.input(fixedShape({batch, room, width})),
             update = maker.input(fixedShape({batch, rows, width}));
    if (maker.random.chance(30))
        return maker.one("tensor_scatter", {cache, update});
    const Id at = maker.input(fixedShape({batch}), DType::I64);
    return maker.one("tensor_scatter", {cache, update, at},
                     attributes({{"circular", flag(maker)}}));
}

Id sharedHeads(Maker& maker) {
    const std::int64_t heads = maker.random.between(1, 2), share = maker.random.between(1, 3),
                       width = maker.random.between(1, 5), keys = maker.random.between(1, 6);
    const Dim batch = maker.extent();
    const Id q = maker.input(
                 {batch, Dim(heads * share), Dim(maker.random.between(1, 4)), Dim(width)}),
             k = maker.input({batch, Dim(heads), Dim(keys), Dim(width)}),
             v = maker.input({batch, Dim(heads), Dim(keys), Dim(maker.random.between(1, 4))});
    Attrs attrs;
    if (maker.random.chance(50))
        attrs.set("scale", 0.25);
    return maker.one("flex_attention", {q, k, v}, attrs);
}

} // namespace

std::vector<Recipe> newerRecipes() {
    std::vector<Recipe> out = {{"center_crop_pad", 3, centerCropPad},
                               {"deform_conv2d", 2, deformed},
                               {"grid_sample_volume", 2, volume},
                               {"tensor_scatter", 3, written},
                               {"flex_attention", 3, sharedHeads}};
    for (const auto& [op, rank] : {std::pair("col2im_row", 1), {"col2im", 2}, {"col2im_volume", 3}})
        out.push_back({op, 2, [op = op, rank = rank](Maker& maker) {
                           return columns(maker, op, static_cast<std::size_t>(rank));
                       }});
    for (const auto& [op, rank] : {std::pair("affine_grid", 2), {"affine_grid_volume", 3}})
        out.push_back(
            {op, 2, [op = op, rank = rank](Maker& maker) { return grid(maker, op, rank); }});
    return out;
}

} // namespace fw::fuzz
