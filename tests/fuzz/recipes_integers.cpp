// Products and windows of eight bits, less what stands for zero.
#include "fuzz/numbers.h"
#include "fuzz/recipes.h"

namespace fw::fuzz {

namespace {

DType eightBits(Maker& maker) {
    return maker.random.chance(50) ? DType::U8 : DType::I8;
}

// Mostly the ends and the middle of the type.
Id zeroPoints(Maker& maker, DType dtype, std::optional<std::int64_t> extent) {
    const double least = dtype == DType::I8 ? -128 : 0;
    std::vector<double> values;
    for (std::int64_t i = 0; i < extent.value_or(1); ++i)
        values.push_back(
            maker.random.chance(30)
                ? static_cast<double>(maker.random.below(256)) + least
                : maker.random.pick(std::vector<double>{0, least, least + 128, least + 255}));
    return maker.constantOf(dataOf(
        dtype, extent ? std::vector<std::int64_t>{*extent} : std::vector<std::int64_t>{}, values));
}

// One for all, or one for each of so few that they may be a constant.
Id zeroList(Maker& maker, DType dtype, std::int64_t each) {
    return zeroPoints(maker, dtype, each > 0 && each <= 16 && maker.random.chance(50) ? each : 1);
}

Id ofEightBits(Maker& maker, const Shape& shape, DType dtype, bool mayBeConstant) {
    if (const auto extents = fixedExtents(shape); extents && mayBeConstant)
        return maker.constant(*extents, dtype);
    return maker.input(shape, dtype);
}

Id bytesProduct(Maker& maker, const std::string& op) {
    static const std::vector<std::int64_t> depths = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 64};
    const DType left = eightBits(maker), right = eightBits(maker);
    const Dim rows = maker.extent(), depth(maker.random.pick(depths)), columns(maker.channels());
    Shape a{rows, depth}, b{depth, columns};
    if (maker.random.chance(40)) {
        const Dim batch = maker.extent();
        a.insert(a.begin(), maker.random.chance(25) ? Dim(1) : batch);
        if (maker.random.chance(60))
            b.insert(b.begin(), batch);
    }
    const Id first = ofEightBits(maker, a, left, false),
             second = ofEightBits(maker, b, right, maker.random.chance(70));
    return maker.one(op, {first, second, zeroList(maker, left, rows.asInt().value_or(0)),
                          zeroList(maker, right, *columns.asInt())});
}

Id bytesWindows(Maker& maker, const std::string& op, std::size_t axes) {
    const DType image = eightBits(maker), filter = eightBits(maker);
    const std::int64_t groups = maker.random.chance(70) ? 1 : maker.random.between(2, 4),
                       inside = groups > 1 && maker.random.chance(50) ? 1 : maker.channels(),
                       filters = groups * maker.random.between(1, 8);
    Shape x{maker.random.chance(60) ? Dim(1) : maker.extent(), Dim(groups * inside)},
        w{Dim(filters), Dim(inside)};
    Integers strides, dilations, before, behind;
    for (std::size_t d = 0; d < axes; ++d) {
        x.push_back(maker.side());
        w.push_back(Dim(maker.random.between(1, 3)));
        strides.push_back(maker.random.chance(70) ? 1 : 2);
        dilations.push_back(maker.random.chance(85) ? 1 : 2);
        for (Integers* pads : {&before, &behind})
            pads->push_back(maker.random.chance(50) ? 0 : maker.random.between(0, 2));
    }
    Attrs attrs = attributes({{"strides", strides}, {"dilations", dilations}, {"groups", groups}});
    if (op == "conv_integer") {
        attrs.set("before", before);
        attrs.set("behind", behind);
    } else {
        before.insert(before.end(), behind.begin(), behind.end());
        attrs.set("pads", before);
    }
    const Id first = ofEightBits(maker, x, image, false),
             second = ofEightBits(maker, w, filter, maker.random.chance(80));
    return maker.one(
        op,
        {first, second, zeroPoints(maker, image, std::nullopt), zeroList(maker, filter, filters)},
        attrs);
}

// As quantized models go on: back to floats by the product of both scales.
Id scaledSums(Maker& maker, Id sums) {
    if (sums == none || !isFloat(maker.main()) || maker.random.chance(50))
        return sums;
    const Id real = maker.one("cast", {sums}, attributes({{"to", maker.main()}}));
    return real == none ? sums : maker.one("mul", {real, maker.number(0.0078125)});
}

} // namespace

std::vector<Recipe> integerRecipes() {
    std::vector<Recipe> out;
    for (const char* op : {"matmul_integer", "matmul_widened"})
        out.push_back(
            {op, 4, [op](Maker& maker) { return scaledSums(maker, bytesProduct(maker, op)); }});
    for (const auto& [op, axes] : {std::pair("conv2d_integer", 2),
                                   {"conv2d_widened", 2},
                                   {"conv_integer", 1},
                                   {"conv_integer", 3}})
        out.push_back({op, 3, [op = op, axes = axes](Maker& maker) {
                           return scaledSums(
                               maker, bytesWindows(maker, op, static_cast<std::size_t>(axes)));
                       }});
    return out;
}

} // namespace fw::fuzz
