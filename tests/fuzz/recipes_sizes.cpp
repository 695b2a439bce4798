#include "fuzz/numbers.h"
#include "fuzz/recipes.h"

#include <algorithm>

namespace fw::fuzz {

namespace {

Id integers(Maker& maker, const std::vector<std::int64_t>& values) {
    return maker.constantOf(
        dataFromIntegers(DType::I64, {static_cast<std::int64_t>(values.size())}, values));
}

std::int64_t flag(Maker& maker) {
    return maker.random.chance(50) ? 1 : 0;
}

std::int64_t rankOf(Maker& maker, Id id) {
    return static_cast<std::int64_t>(maker.at(id).type.rank());
}

// Some axes, each once, some counted from the end.
std::vector<std::int64_t> someAxes(Maker& maker, std::int64_t rank) {
    std::vector<std::int64_t> out;
    for (std::int64_t axis = 0; axis < rank; ++axis)
        if (maker.random.chance(50))
            out.push_back(maker.random.chance(30) ? axis - rank : axis);
    if (out.empty())
        out.push_back(rank - 1);
    return out;
}

Id shaped(Maker& maker, Id id, const Shape& dims) {
    return dims.empty() ? none : maker.one("reshape", {id}, attributes({{"shape", dims}}));
}

Id reshape(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none || rankOf(maker, id) == 0)
        return none;
    std::vector<std::int64_t> target;
    const std::vector<std::int64_t> extents = maker.extents(id);
    for (std::size_t i = 0; i < extents.size(); ++i)
        target.push_back(maker.random.chance(40) ? 0 : extents[i]);
    if (maker.random.chance(50))
        target[maker.random.below(target.size())] = -1;
    else if (maker.random.chance(50))
        target = {-1};
    const Id made =
        maker.one("reshape_extents", {integers(maker, target), maker.one("shape", {id})},
                  attributes({{"keep_zero", flag(maker)}}));
    return shaped(maker, id, maker.bind(made));
}

Id unsqueezeAndBack(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none || rankOf(maker, id) > 3)
        return none;
    const std::int64_t rank = rankOf(maker, id) + 2;
    const std::int64_t first = maker.random.between(0, rank - 2);
    const Id axes = integers(maker, {first, maker.random.chance(50) ? -1 : rank - 1});
    const Id more = maker.one("unsqueeze_extents", {maker.one("shape", {id}), axes});
    const Id larger = shaped(maker, id, maker.bind(more));
    if (larger == none || maker.random.chance(40))
        return larger;
    const Id less = maker.one("squeeze_extents", {maker.one("shape", {larger}), axes});
    return shaped(maker, larger, maker.bind(less));
}

Id reduced(Maker& maker, const char* op) {
    const Id id = withAxis(maker);
    if (id == none)
        return none;
    const Id axes = integers(maker, someAxes(maker, rankOf(maker, id)));
    const Shape dims = maker.bind(maker.one("reduced_extents", {maker.one("shape", {id}), axes}));
    return dims.empty() ? none : maker.one(op, {id}, attributes({{"shape", dims}}));
}

Id slice(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none)
        return none;
    const std::vector<std::int64_t> axes = someAxes(maker, rankOf(maker, id));
    std::vector<std::int64_t> starts, ends, steps;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        starts.push_back(maker.random.between(-9, 9));
        ends.push_back(maker.random.between(-9, 9));
        steps.push_back(maker.random.between(1, 3) * (maker.random.chance(30) ? -1 : 1));
    }
    const std::vector<Id> parts = maker.call(
        "slice_extents", {integers(maker, starts), integers(maker, ends), integers(maker, axes),
                          integers(maker, steps), maker.one("shape", {id})});
    if (parts.size() != 3)
        return none;
    const Shape dims = maker.bind(parts[2]);
    return dims.empty()
               ? none
               : maker.one("slice_at", {id, parts[0], parts[1]}, attributes({{"shape", dims}}));
}

Id pad(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none)
        return none;
    static const char* const modes[] = {"constant", "edge", "reflect", "wrap"};
    const std::string mode = modes[maker.random.below(4)];
    const std::vector<std::int64_t> axes = someAxes(maker, rankOf(maker, id));
    std::vector<std::int64_t> before, behind;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        before.push_back(maker.random.between(-1, 2));
        behind.push_back(maker.random.between(before.back() < 0 ? 0 : -1, 2));
    }
    const std::vector<Id> parts =
        maker.call("pad_extents", {integers(maker, before), integers(maker, behind),
                                   integers(maker, axes), maker.one("shape", {id})});
    if (parts.size() != 2)
        return none;
    const Shape dims = maker.bind(parts[1]);
    return dims.empty()
               ? none
               : maker.one("pad_at", {id, parts[0], maker.constant({}, maker.at(id).type.dtype)},
                           attributes({{"shape", dims}, {"mode", mode}}));
}

// The axes before and behind that of a transform become one each.
Id transformAtComputedAxis(Maker& maker) {
    Shape shape;
    for (std::int64_t i = maker.random.between(1, 3); i > 0; --i)
        shape.push_back(maker.extent());
    shape.push_back(Dim(maker.random.between(1, 2)));
    const Id id = maker.input(shape, DType::F32);
    const std::int64_t rank = rankOf(maker, id), where = maker.random.between(0, rank - 2);
    const Id axis = integers(maker, {maker.random.chance(30) ? where - rank : where});
    const Id extents = maker.one("shape", {id});
    Shape parts = maker.bind(maker.one("axis_parts", {axis, extents}));
    if (parts.empty())
        return none;
    const Dim length = parts[1];
    parts.push_back(shape.back());
    Attrs attrs = attributes({{"axis", std::int64_t{1}}, {"length", Exprs{length}}});
    for (const char* name : {"inverse", "onesided"})
        attrs.set(name, flag(maker));
    const Id made = maker.one("dft", {shaped(maker, id, parts)}, attrs);
    if (made == none)
        return none;
    const Id whole = maker.one("axis_replaced", {axis, extents, maker.one("shape", {made})});
    return shaped(maker, made, maker.bind(whole));
}

Id range(Maker& maker) {
    const auto number = [&](std::int64_t least, std::int64_t most) {
        return maker.constantOf(
            dataFromIntegers(DType::I64, {}, {maker.random.between(least, most)}));
    };
    const Id start = number(-5, 5), delta = number(1, 3);
    const Shape dims = maker.bind(maker.one("range_count", {start, number(-3, 12), delta}));
    return dims.empty() ? none : maker.one("range", {start, delta}, attributes({{"size", dims}}));
}

Id resize(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none || rankOf(maker, id) > 3)
        return none;
    const Id extents = maker.one("shape", {id});
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < rankOf(maker, id); ++i)
        numbers.push_back(
            std::vector<double>{0.5, 1, 1.5, 2, 0.75, 0.6F, 5.0F / 3}[maker.random.below(7)]);
    const Id given = maker.constantOf(
        dataFromDoubles(DType::F32, {static_cast<std::int64_t>(numbers.size())}, numbers));
    Id sizes = maker.one("scaled_extents", {extents, given});
    const bool oneRatio = maker.random.chance(30); // keep_aspect_ratio_policy
    if (oneRatio)
        sizes = maker.one("fitted_extents",
                          {extents, maker.one("aspect_ratio", {extents, sizes},
                                              attributes({{"largest", flag(maker)}}))});
    std::vector<Id> operands{extents, sizes};
    if (!oneRatio && maker.random.chance(50))
        operands.push_back(given);
    const Id places =
        maker.one("resize_places", operands, attributes({{"mode", maker.random.between(0, 5)}}));
    const Shape dims = maker.bind(sizes);
    if (dims.empty() || places == none)
        return none;
    const std::size_t axis = maker.axisOf(id);
    Attrs attrs = attributes({{"axis", static_cast<std::int64_t>(axis)},
                              {"size", Exprs{dims[axis]}},
                              {"row", static_cast<std::int64_t>(axis)}});
    if (maker.random.chance(30)) {
        for (const char* name : {"cubic", "exclude"})
            attrs.set(name, flag(maker));
        return maker.one("resize_filtered_at", {id, places, maker.one("resize_growth", operands)},
                         attrs);
    }
    return maker.one(maker.random.chance(50) ? "resize_linear" : "resize_nearest", {id, places},
                     attrs);
}

// Whole numbers, so that none differs by a rounding.
Id wholeNumbers(Maker& maker, const Shape& shape) {
    const Id id = maker.input(shape, DType::I64);
    return maker.one("mod", {id, maker.constantOf(dataFromIntegers(DType::I64, {}, {3}))});
}

Id firstOf(Maker& maker, Id id, const Shape& dims) {
    return dims.empty() ? none
                        : maker.one("slice_at", {id, integers(maker, {0}), integers(maker, {1})},
                                    attributes({{"shape", dims}}));
}

Id nonZero(Maker& maker) {
    const std::int64_t rows = maker.random.between(1, 6), columns = maker.random.between(1, 6);
    const Id x = wholeNumbers(maker, {Dim(rows * columns)});
    const std::vector<Id> found =
        maker.call("compact", {maker.one("cast", {x}, attributes({{"to", DType::Bool}}))});
    if (found.size() != 2)
        return none;
    const Id places = firstOf(maker, found[0], maker.bind(found[1]));
    return maker.one("unravel", {places, integers(maker, {rows, columns})});
}

Id unique(Maker& maker) {
    const Id x = wholeNumbers(maker, {maker.extent(), Dim(maker.random.between(1, 2))});
    const std::vector<Id> found =
        maker.call("unique_rows", {x}, attributes({{"ascending", flag(maker)}}));
    if (found.size() != 4)
        return none;
    const Id first = firstOf(maker, found[0], maker.bind(found[3]));
    return maker.random.chance(30)
               ? found[maker.random.between(1, 2)]
               : maker.one("gather", {x, first}, attributes({{"axis", std::int64_t{0}}}));
}

Id suppression(Maker& maker) {
    const std::int64_t images = maker.random.between(1, 2), boxes = maker.random.between(0, 7),
                       classes = maker.random.between(1, 3), most = maker.random.between(0, 4);
    const Id box = maker.input({Dim(images), Dim(boxes), Dim(4)}, DType::F32);
    const Id score = maker.input({Dim(images), Dim(classes), Dim(boxes)}, DType::F32);
    const auto number = [&](double value) {
        return maker.constantOf(dataOf(DType::F32, {1}, {value}));
    };
    const std::vector<Id> found = maker.call(
        "non_max_suppression",
        {box, score, integers(maker, {most}), number(maker.random.chance(50) ? 0.437 : 0.113),
         number(maker.random.chance(50) ? -100 : 0.219)},
        attributes({{"room", Integers{images * classes * std::min(boxes, most)}},
                    {"centered", flag(maker)}}));
    if (found.size() != 2)
        return none;
    const Shape count = maker.bind(found[1]);
    return count.empty()
               ? none
               : maker.one("slice_at", {found[0], integers(maker, {0, 0}), integers(maker, {1, 1})},
                           attributes({{"shape", Exprs{count[0], Dim(3)}}}));
}

} // namespace

std::vector<Recipe> sizeRecipes() {
    return {
        {"reshape by computed sizes", 3, reshape},
        {"unsqueeze by computed axes", 2, unsqueezeAndBack},
        {"sum_to", 3, [](Maker& maker) { return reduced(maker, "sum_to"); }},
        {"max_to", 1, [](Maker& maker) { return reduced(maker, "max_to"); }},
        {"min_to", 1, [](Maker& maker) { return reduced(maker, "min_to"); }},
        {"prod_to", 1, [](Maker& maker) { return reduced(maker, "prod_to"); }},
        {"slice_at", 3, slice},
        {"pad_at", 3, pad},
        {"dft at a computed axis", 1, transformAtComputedAxis},
        {"range by computed bounds", 1, range},
        {"resize by computed scales", 2, resize},
        {"compact", 2, nonZero},
        {"unique_rows", 2, unique},
        {"non_max_suppression", 2, suppression},
    };
}

} // namespace fw::fuzz
