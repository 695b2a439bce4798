#include "fuzz/recipes.h"

#include <algorithm>

namespace fw::fuzz {

namespace {

DType indexType(Maker& maker) {
    return maker.random.chance(50) ? DType::I64 : DType::I32;
}

std::int64_t flag(Maker& maker) {
    return maker.random.chance(50) ? 1 : 0;
}

// Along an axis, with flags that are left out half of the time.
Id along(Maker& maker, const char* op, std::initializer_list<const char*> flags) {
    const Id id = maker.value();
    if (maker.at(id).type.rank() == 0)
        return none;
    Attrs attrs;
    if (maker.random.chance(70))
        attrs.set("axis", saidAxis(maker, id, maker.axisOf(id)));
    for (const char* name : flags)
        if (maker.random.chance(50))
            attrs.set(name, flag(maker));
    return maker.one(op, {id}, attrs);
}

Id topK(Maker& maker) {
    const Id id = maker.value();
    if (maker.at(id).type.rank() == 0)
        return none;
    const std::size_t axis = maker.axisOf(id);
    const std::int64_t extent = std::max<std::int64_t>(maker.fixedExtent(id, axis), 1);
    Attrs attrs = attributes(
        {{"count", Integers{maker.random.between(maker.random.chance(10) ? 0 : 1, extent)}},
         {"axis", saidAxis(maker, id, axis)}});
    if (maker.random.chance(50))
        attrs.set("largest", flag(maker));
    const std::vector<Id> out = maker.call("top_k", {id}, attrs);
    return out[maker.random.below(out.size())];
}

Id gatherElements(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none || !maker.isFixed(id))
        return none;
    const std::size_t axis = maker.axisOf(id);
    std::vector<std::int64_t> extents = maker.extents(id);
    const std::int64_t extent = extents[axis];
    extents[axis] = maker.random.between(maker.random.chance(10) ? 0 : 1, 6);
    const Id index = places(maker, extents, extent, indexType(maker));
    return maker.one("gather_elements", {id, index},
                     attributes({{"axis", saidAxis(maker, id, axis)}}));
}

Id scatter(Maker& maker, const char* op) {
    Id id = withAxis(maker);
    if (id == none || !maker.isFixed(id))
        return none;
    const bool ofTruths =
        std::string_view(op) == "scatter_any" || std::string_view(op) == "scatter_all";
    if (ofTruths && maker.at(id).type.dtype != DType::Bool)
        id = maker.one("cast", {id}, attributes({{"to", DType::Bool}}));
    if (id == none)
        return none;
    const std::size_t axis = maker.axisOf(id);
    std::vector<std::int64_t> extents = maker.extents(id);
    const std::int64_t extent = extents[axis];
    extents[axis] = maker.random.between(maker.random.chance(10) ? 0 : 1, 5);
    if (maker.random.chance(40)) // of the first places only
        for (std::size_t i = 0; i < extents.size(); ++i)
            if (i != axis)
                extents[i] = maker.random.between(0, extents[i]);
    const DType dtype = maker.at(id).type.dtype;
    const Id update = maker.random.chance(40) ? maker.constant(extents, dtype)
                                              : maker.input(fixedShape(extents), dtype);
    return maker.one(op, {id, places(maker, extents, extent, indexType(maker)), update},
                     attributes({{"axis", saidAxis(maker, id, axis)}}));
}

// Indices of `depth` parts: in a constant every part lies in its axis.
Id indices(Maker& maker, Id id, std::size_t from, std::size_t depth,
           std::vector<std::int64_t> extents) {
    const std::vector<std::int64_t> of = maker.extents(id);
    std::int64_t smallest = 100, count = static_cast<std::int64_t>(depth);
    for (std::size_t i = from; i < from + depth; ++i)
        smallest = std::min(smallest, of[i]);
    for (const std::int64_t extent : extents)
        count *= extent;
    extents.push_back(static_cast<std::int64_t>(depth));
    const DType dtype = indexType(maker);
    if (depth == 0 || smallest == 0 || count > 16 || maker.random.chance(40))
        return maker.input(fixedShape(extents), dtype);
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t extent = of[from + static_cast<std::size_t>(i) % depth];
        out.push_back(maker.random.between(-extent, extent - 1));
    }
    return maker.constantOf(dataFromIntegers(dtype, extents, out));
}

Id gatherNd(Maker& maker) {
    const Id id = withAxis(maker);
    if (id == none || !maker.isFixed(id))
        return none;
    const std::size_t rank = maker.at(id).type.rank();
    const std::size_t batch =
        maker.random.chance(40) ? maker.random.below(std::min(rank, std::size_t{3})) : 0;
    const std::size_t depth = (maker.random.chance(5) ? 0 : 1) + maker.random.below(rank - batch);
    std::vector<std::int64_t> extents = maker.extents(id);
    extents.resize(batch);
    for (std::size_t i = maker.random.below(3); i > 0; --i)
        extents.push_back(maker.random.between(1, 4));
    return maker.one("gather_nd",
                     {id, indices(maker, id, batch, std::min(depth, rank - batch), extents)},
                     attributes({{"batch_dims", static_cast<std::int64_t>(batch)}}));
}

Id scatterNd(Maker& maker) {
    static const std::vector<std::string> reductions = {"none", "none", "add", "mul", "max", "min"};
    const Id id = withAxis(maker);
    if (id == none || !maker.isFixed(id))
        return none;
    const std::vector<std::int64_t> of = maker.extents(id);
    const std::size_t depth = 1 + maker.random.below(of.size());
    std::vector<std::int64_t> extents;
    for (std::size_t i = maker.random.below(3); i > 0; --i)
        extents.push_back(maker.random.between(maker.random.chance(10) ? 0 : 1, 4));
    const Id index = indices(maker, id, 0, depth, extents);
    extents.insert(extents.end(), of.begin() + static_cast<std::ptrdiff_t>(depth), of.end());
    const DType dtype = maker.at(id).type.dtype;
    const Id update = maker.random.chance(40) ? maker.constant(extents, dtype)
                                              : maker.input(fixedShape(extents), dtype);
    return maker.one("scatter_nd", {id, index, update},
                     attributes({{"reduction", maker.random.pick(reductions)}}));
}

Id oneHot(Maker& maker) {
    const std::int64_t depth = maker.random.between(1, 7);
    Id index = maker.choose([](const Maker::Known& known) {
        return isInteger(known.type.dtype) && known.type.rank() < 4 && !known.constant;
    });
    if (index == none || maker.random.chance(40)) {
        std::vector<std::int64_t> extents;
        for (std::size_t i = maker.random.below(3); i > 0; --i)
            extents.push_back(maker.random.between(1, 6));
        index = places(maker, extents, depth, indexType(maker));
    }
    const Id values =
        maker.constantOf(drawn(isWild(maker.values()) ? maker.values() : Values::Integers,
                               maker.anyType(), {2}, maker.random.below(1000)));
    return maker.one("one_hot", {index, values}, attributes({{"depth", Integers{depth}}}));
}

// Classes that are ignored lie outside the others, or are one of them.
Id nll(Maker& maker, const char* op) {
    const Id id = maker.ofRank(2 + maker.random.below(3));
    const std::int64_t classes = maker.fixedExtent(id, 1);
    if (classes == 0)
        return none;
    Shape shape = maker.at(id).type.shape;
    shape.erase(shape.begin() + 1);
    const auto extents = fixedExtents(shape);
    const DType dtype = indexType(maker);
    std::vector<Id> operands = {id, extents ? places(maker, *extents, classes, dtype)
                                            : maker.input(shape, dtype)};
    if (maker.random.chance(50)) {
        const Id weights = maker.positive(classes);
        operands.push_back(weights == none ? maker.constant({classes}) : weights);
    }
    Attrs attrs;
    if (maker.random.chance(50))
        attrs.set("ignored", maker.random.between(-2, 3));
    return maker.one(op, operands, attrs);
}

} // namespace

std::vector<Recipe> selectionRecipes() {
    std::vector<Recipe> out = {
        {"gather_elements", 3, gatherElements},
        {"gather_nd", 4, gatherNd},
        {"scatter_nd", 4, scatterNd},
        {"top_k", 3, topK},
        {"one_hot", 3, oneHot},
        {"hardmax", 2, [](Maker& maker) { return along(maker, "hardmax", {}); }},
        {"cumsum", 4, [](Maker& maker) {
             return along(maker, "cumsum", {"exclusive", "reverse"});
         }}};
    for (const char* op : {"arg_max", "arg_min"})
        out.push_back({op, 3, [op](Maker& maker) { return along(maker, op, {"last"}); }});
    for (const char* op : {"scatter", "scatter_add", "scatter_mul", "scatter_max", "scatter_min",
                           "scatter_any", "scatter_all"})
        out.push_back({op, 3, [op](Maker& maker) { return scatter(maker, op); }});
    for (const char* op : {"nll_loss", "nll_mean"})
        out.push_back({op, 3, [op](Maker& maker) { return nll(maker, op); }});
    return out;
}

} // namespace fw::fuzz
