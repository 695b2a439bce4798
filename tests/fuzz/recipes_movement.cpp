#include "fuzz/recipes.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace fw::fuzz {

namespace {

Id any(Maker& maker) {
    if (maker.random.chance(70))
        return maker.value();
    const Id id = maker.choose([](const Maker::Known&) { return true; });
    return id == none ? maker.value() : id;
}

Id transpose(Maker& maker) {
    const Id id = any(maker);
    Integers perm(maker.at(id).type.rank());
    std::iota(perm.begin(), perm.end(), 0);
    if (perm.size() == 4 && maker.random.chance(40))
        perm = maker.random.chance(50) ? Integers{0, 2, 3, 1} : Integers{0, 3, 1, 2};
    else
        for (std::size_t i = perm.size(); i > 1; --i)
            std::swap(perm[i - 1], perm[maker.random.below(i)]);
    return maker.one("transpose", {id}, attributes({{"perm", perm}}));
}

Id concat(Maker& maker) {
    const Id first = withAxis(maker);
    if (first == none)
        return none;
    const std::size_t axis = maker.axisOf(first);
    const Maker::Known known = maker.at(first);
    std::vector<Id> operands = {first};
    for (std::size_t i = maker.random.below(3) + (maker.random.chance(95) ? 1 : 0); i > 0; --i) {
        const Id next = maker.choose([&](const Maker::Known& one) {
            if (one.type.dtype != known.type.dtype || one.type.rank() != known.type.rank())
                return false;
            for (std::size_t d = 0; d < one.type.rank(); ++d)
                if (d != axis && !(one.type.shape[d] == known.type.shape[d]))
                    return false;
            return true;
        });
        operands.push_back(maker.random.chance(25) ? partner(maker, first) : next);
    }
    if (maker.random.chance(30))
        std::reverse(operands.begin(), operands.end());
    return maker.one("concat", operands, attributes({{"axis", saidAxis(maker, first, axis)}}));
}

Id gather(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none)
        return none;
    const std::size_t axis = maker.axisOf(id);
    const std::int64_t extent = maker.fixedExtent(id, axis);
    const std::vector<std::int64_t> extents =
        maker.random.chance(20) ? std::vector<std::int64_t>{}
                                : std::vector<std::int64_t>{maker.random.between(1, 6)};
    const DType dtype = maker.random.chance(50) ? DType::I64 : DType::I32;
    const Id index = places(maker, extents, extent, dtype);
    return maker.one("gather", {id, index}, attributes({{"axis", saidAxis(maker, id, axis)}}));
}

// Neighbouring axes joined, one split, ones put in; free extents stay as they are.
Id reshape(Maker& maker) {
    const Id id = any(maker);
    Shape shape = maker.at(id).type.shape;
    for (std::size_t steps = 1 + maker.random.below(3); steps > 0; --steps) {
        const std::size_t at = maker.random.below(shape.size());
        const auto place = shape.begin() + static_cast<std::ptrdiff_t>(at);
        switch (maker.random.below(3)) {
        case 0:
            if (at + 1 < shape.size()) {
                shape[at] = shape[at] * shape[at + 1];
                shape.erase(place + 1);
            }
            break;
        case 1:
            shape.insert(place, Dim(1));
            break;
        default:
            if (shape.empty() || !shape[at].isInt())
                break;
            const std::int64_t extent = *shape[at].asInt();
            for (const std::int64_t factor : {2, 3, 4, 7, 8})
                if (extent > factor && extent % factor == 0 && maker.random.chance(60)) {
                    shape[at] = Dim(factor);
                    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                 Dim(extent / factor));
                    break;
                }
        }
    }
    if (shape.size() > 6)
        return none;
    return maker.one("reshape", {id}, attributes({{"shape", Exprs(shape)}}));
}

// As one operator, or as the three that a rule makes one of.
Id channelShuffle(Maker& maker) {
    const Id id = any(maker);
    const Shape shape = maker.at(id).type.shape;
    if (shape.size() < 2 || !shape[1].isInt())
        return none;
    const std::int64_t channels = *shape[1].asInt();
    std::vector<std::int64_t> divisors;
    for (std::int64_t groups = 1; groups <= channels; ++groups)
        if (channels % groups == 0)
            divisors.push_back(groups);
    if (divisors.empty())
        return none;
    const std::int64_t groups = divisors[maker.random.below(divisors.size())];
    if (shape.size() != 4 || maker.random.chance(50))
        return maker.one("channel_shuffle", {id}, attributes({{"groups", groups}}));
    const Shape apart{shape[0], Dim(groups), Dim(channels / groups), shape[2], shape[3]};
    const Id dealt =
        maker.one("transpose", {maker.one("reshape", {id}, attributes({{"shape", Exprs(apart)}}))},
                  attributes({{"perm", Integers{0, 2, 1, 3, 4}}}));
    return maker.one("reshape", {dealt}, attributes({{"shape", Exprs(shape)}}));
}

Id expand(Maker& maker) {
    const Id id = any(maker);
    Shape shape = maker.at(id).type.shape;
    for (Dim& dim : shape)
        if (dim.isInt(1) && maker.random.chance(70))
            dim = Dim(maker.random.between(1, 5));
    if (maker.random.chance(40))
        shape.insert(shape.begin(), Dim(maker.random.between(1, 3)));
    return maker.one("expand", {id}, attributes({{"shape", Exprs(shape)}}));
}

Id split(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none)
        return none;
    const std::size_t axis = maker.axisOf(id);
    std::int64_t left = maker.fixedExtent(id, axis);
    if (left < 2)
        return none;
    Integers sizes;
    while (left > 0 && sizes.size() < 3) {
        sizes.push_back(maker.random.between(maker.random.chance(5) ? 0 : 1, left));
        left -= sizes.back();
    }
    if (left > 0)
        sizes.push_back(left);
    Attrs attrs = attributes({{"axis", saidAxis(maker, id, axis)}, {"sizes", sizes}});
    return maker.call("split", {id}, attrs).back();
}

Id slice(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none)
        return none;
    Integers starts, ends, axes, steps;
    for (std::size_t axis = 0; axis < maker.at(id).type.rank(); ++axis) {
        if (maker.random.chance(50))
            continue;
        const std::int64_t extent = maker.extents(id)[axis];
        const bool back = maker.random.chance(20);
        const std::int64_t start = maker.random.between(0, std::max<std::int64_t>(extent / 2, 0));
        static const std::vector<std::int64_t> far = {
            INT64_MAX, INT64_MIN, INT64_MAX - 1, INT32_MAX, INT32_MIN, 1000, -1000};
        axes.push_back(saidAxis(maker, id, axis));
        if (maker.random.chance(15)) { // anything
            steps.push_back(maker.random.between(1, 4) * (back ? -1 : 1));
            for (Integers* end : {&starts, &ends})
                end->push_back(maker.random.chance(40)
                                   ? maker.random.pick(far)
                                   : maker.random.between(-extent - 2, extent + 2));
            if (maker.random.chance(10))
                steps.back() = back ? INT64_MIN : INT64_MAX;
            continue;
        }
        steps.push_back(back ? -maker.random.between(1, 2) : maker.random.between(1, 3));
        starts.push_back(back ? -1 : start);
        ends.push_back(back                      ? -extent - 1
                       : maker.random.chance(30) ? -1
                                                 : start + maker.random.between(1, extent + 1));
    }
    if (axes.empty())
        return none;
    return maker.one(
        "slice", {id},
        attributes({{"starts", starts}, {"ends", ends}, {"axes", axes}, {"steps", steps}}));
}

Id pad(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none)
        return none;
    Integers pads(2 * maker.at(id).type.rank());
    for (std::int64_t& amount : pads)
        if (maker.random.chance(40))
            amount = maker.random.between(maker.random.chance(25) ? -3 : 0, 2);
    Attrs attrs = attributes({{"pads", pads}});
    if (maker.random.chance(50))
        attrs.set("value", maker.factor(static_cast<double>(maker.random.between(-2, 2))));
    return maker.one("pad", {id}, attrs);
}

Id tile(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none)
        return none;
    Integers repeats;
    for (std::size_t i = 0; i < maker.at(id).type.rank(); ++i)
        repeats.push_back(
            maker.random.chance(40) ? maker.random.between(maker.random.chance(5) ? 0 : 1, 3) : 1);
    return maker.one("tile", {id}, attributes({{"repeats", repeats}}));
}

Id fill(Maker& maker) {
    Integers shape;
    for (std::size_t i = 1 + maker.random.below(3); i > 0; --i)
        shape.push_back(maker.random.between(maker.random.chance(5) ? 0 : 1, 6));
    Attrs attrs = attributes({{"shape", shape}});
    if (maker.random.chance(80))
        attrs.set("value", drawn(isWild(maker.values()) ? maker.values() : Values::Integers,
                                 maker.anyType(), {1}, maker.random.below(1000)));
    return maker.one("constant_of_shape", {}, attrs);
}

} // namespace

std::vector<Recipe> movementRecipes() {
    return {{"transpose", 10, transpose},
            {"concat", 12, concat},
            {"gather", 6, gather},
            {"reshape", 10, reshape},
            {"expand", 3, expand},
            {"channel_shuffle", 4, channelShuffle},
            {"split", 6, split},
            {"slice", 7, slice},
            {"pad", 7, pad},
            {"tile", 3, tile},
            {"shape", 2, [](Maker& maker) { return maker.one("shape", {any(maker)}); }},
            {"constant_of_shape", 2, fill}};
}

Id withAxis(Maker& maker) {
    const Id id = any(maker);
    return maker.at(id).type.rank() == 0 ? none : id;
}

std::int64_t saidAxis(Maker& maker, Id id, std::size_t axis) {
    const auto rank = static_cast<std::int64_t>(maker.at(id).type.rank());
    return static_cast<std::int64_t>(axis) - (maker.random.chance(30) ? rank : 0);
}

Id places(Maker& maker, const std::vector<std::int64_t>& extents, std::int64_t extent,
          DType dtype) {
    const std::int64_t count =
        std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
    if (extent == 0 || count > 16 || maker.random.chance(40)) // operators clamp what is outside
        return maker.input(fixedShape(extents), dtype);
    std::vector<std::int64_t> out(static_cast<std::size_t>(count));
    const std::int64_t outside = maker.random.chance(10) ? 2 : 0;
    for (std::int64_t& at : out)
        at = maker.random.between(-extent - outside, extent - 1 + outside);
    return maker.constantOf(dataFromIntegers(dtype, extents, out));
}

std::vector<std::int64_t> broadcastOf(Maker& maker, const Shape& shape) {
    std::vector<std::int64_t> out;
    const bool channel = shape.size() > 1 && maker.random.chance(40);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::int64_t extent = shape[i].asInt().value_or(1);
        out.push_back(channel ? (i == 1 ? extent : 1) : maker.random.chance(35) ? 1 : extent);
    }
    const std::size_t cut = maker.random.chance(50) ? maker.random.below(out.size() + 1) : 0;
    const bool whole = std::all_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(cut),
                                   [](std::int64_t e) { return e == 1; });
    if (whole || !channel)
        out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(cut));
    return out;
}

Id detour(Maker& maker, Id id) {
    if (id == none)
        return none;
    const Maker::Known known = maker.at(id);
    const std::size_t rank = known.type.rank();
    Id out = none;
    switch (maker.random.below(6)) {
    case 0: { // there and back
        Integers perm(rank), back(rank);
        std::iota(perm.begin(), perm.end(), 0);
        for (std::size_t i = perm.size(); i > 1; --i)
            std::swap(perm[i - 1], perm[maker.random.below(i)]);
        for (std::size_t i = 0; i < rank; ++i)
            back[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
        out = maker.one("transpose", {maker.one("transpose", {id}, attributes({{"perm", perm}}))},
                        attributes({{"perm", back}}));
        break;
    }
    case 1: {
        Shape flat = {elementCount(known.type.shape)};
        const Id one = maker.one("reshape", {id}, attributes({{"shape", Exprs(flat)}}));
        out = maker.one("reshape", {one}, attributes({{"shape", Exprs(known.type.shape)}}));
        break;
    }
    case 2: { // the second half of a concat
        if (rank == 0 || !maker.isFixed(id))
            break;
        const std::size_t axis = maker.axisOf(id);
        const std::int64_t extent = maker.fixedExtent(id, axis);
        const auto at = static_cast<std::int64_t>(axis);
        const Id joined = maker.one("concat", {maker.like(known), id}, attributes({{"axis", at}}));
        out = maker.one("slice", {joined},
                        attributes({{"starts", Integers{extent}},
                                    {"ends", Integers{2 * extent}},
                                    {"axes", Integers{at}},
                                    {"steps", Integers{1}}}));
        break;
    }
    case 3: // an image as the libraries like it
        if (rank == 4)
            out = maker.one("max_pool2d", {id}, attributes({{"kernel_shape", Integers{1, 1}}}));
        break;
    case 4:
        out = maker.one("identity", {id});
        break;
    default:
        out = maker.one("abs", {id});
    }
    return out == none ? id : out;
}

Id partner(Maker& maker, Id id) {
    if (id == none)
        return none;
    const Maker::Known known = maker.at(id);
    const auto extents = fixedExtents(known.type.shape);
    switch (maker.random.below(7)) {
    case 0:
        return maker.input(known.type.shape, known.type.dtype);
    case 1:
        if (extents)
            return maker.constant(*extents, known.type.dtype);
        break;
    case 2:
        return detour(maker, maker.like(known));
    case 3: { // transposed out of another input
        if (known.type.rank() < 2)
            break;
        Integers perm(known.type.rank());
        std::iota(perm.begin(), perm.end(), 0);
        std::swap(perm[maker.random.below(perm.size())], perm.back());
        Shape shape(known.type.rank());
        for (std::size_t i = 0; i < perm.size(); ++i)
            shape[static_cast<std::size_t>(perm[i])] = known.type.shape[i];
        return maker.one("transpose", {maker.input(shape, known.type.dtype)},
                         attributes({{"perm", perm}}));
    }
    case 4: // an operator applied to the value itself, so that both ways meet
        if (maker.isMain(known))
            return maker.one(maker.random.chance(50) ? "sigmoid" : "tanh", {id});
        break;
    case 5:
        return id;
    default:
        break;
    }
    return maker.like(known);
}

} // namespace fw::fuzz
