// Shapes that fusion, the rules and the libraries look for, exact and nearly so.
#include "fuzz/recipes.h"

namespace fw::fuzz {

namespace {

Attrs axis1() {
    return attributes({{"axis", std::int64_t(1)}});
}

Id unaryTail(Maker& maker, Id id) {
    static const std::vector<const char*> ops = {"relu",       "sigmoid",    "tanh", "gelu",
                                                 "hard_swish", "leaky_relu", "elu",  "abs",
                                                 "exp",        "round"};
    const char* const op = maker.random.pick(ops);
    return maker.one(op, {id}, maker.factors(op));
}

Id binaryTail(Maker& maker, Id id, Id other) {
    static const std::vector<const char*> ops = {"add", "add", "add", "mul", "sub", "max", "min"};
    const char* op = maker.random.pick(ops);
    return maker.random.chance(30) ? maker.one(op, {other, id}) : maker.one(op, {id, other});
}

Id biased(Maker& maker, Id id, std::size_t axis) {
    if (id == none)
        return none;
    const std::int64_t extent = maker.fixedExtent(id, axis);
    if (extent == 0)
        return none;
    return maker.one("bias", {id, maker.constant({extent})},
                     attributes({{"axis", static_cast<std::int64_t>(axis)}}));
}

// What is computed first, as the libraries compute it: the anchor of a group.
Id anchor(Maker& maker) {
    switch (maker.random.below(6)) {
    case 0: {
        const Id id = maker.ofRank(2 + maker.random.below(2));
        const std::size_t last = maker.at(id).type.rank() - 1;
        const std::int64_t k = maker.fixedExtent(id, last);
        if (k == 0)
            return none;
        return biased(maker, maker.one("dense", {id, maker.constant({maker.channels(), k})}), last);
    }
    case 1: {
        const Id id = maker.ofRank(2 + maker.random.below(3));
        const std::int64_t k = maker.fixedExtent(id, maker.at(id).type.rank() - 1);
        if (k == 0)
            return none;
        return maker.one("batch_matmul", {id, maker.constant({k, maker.channels()})});
    }
    case 2: {
        const Id image = maker.ofRank(4);
        const std::int64_t channels = maker.fixedExtent(image, 1);
        if (channels == 0)
            return none;
        return maker.one("conv_transpose2d", {image, maker.constant({channels, 4, 2, 2})},
                         attributes({{"strides", Integers{2, 2}}}));
    }
    default: {
        const Id conv = convolution(maker, maker.ofRank(4), maker.random.chance(50) ? 3 : 1,
                                    maker.channels(), maker.random.chance(80));
        return maker.random.chance(70) ? biased(maker, conv, 1) : conv;
    }
    }
}

// An anchor, a residual of any storage, steps before and behind it.
Id tail(Maker& maker) {
    Id id = anchor(maker);
    for (std::size_t steps = 1 + maker.random.below(4); steps > 0 && id != none; --steps)
        id = maker.random.chance(50) ? unaryTail(maker, id)
                                     : binaryTail(maker, id, partner(maker, id));
    return id;
}

Id residualBlock(Maker& maker) {
    const Id image = maker.ofRank(4);
    const std::int64_t channels = maker.fixedExtent(image, 1);
    if (channels == 0)
        return none;
    Id id = convolution(maker, image, 3, maker.channels(), true);
    if (maker.random.chance(60))
        id = biased(maker, id, 1);
    id = maker.one("relu", {id});
    if (id == none)
        return none;
    id = maker.one("conv2d", {id, maker.constant({channels, maker.fixedExtent(id, 1), 3, 3})},
                   attributes({{"pads", Integers{1, 1, 1, 1}}}));
    return maker.one("relu", {binaryTail(maker, biased(maker, id, 1), detour(maker, image))});
}

Id swish(Maker& maker) {
    const Id id = maker.random.chance(80) ? anchor(maker) : maker.value();
    const Id gate = maker.one(maker.random.chance(70) ? "sigmoid" : "hard_sigmoid", {id});
    return maker.random.chance(50) ? maker.one("mul", {id, gate}) : maker.one("mul", {gate, id});
}

Id softmaxBatchNorm(Maker& maker) {
    const Id id = maker.ofRank(maker.random.chance(60) ? 4 : 3);
    const Id soft = maker.one("softmax", {id}, maker.random.chance(50) ? axis1() : Attrs{});
    const std::int64_t extent = maker.fixedExtent(id, 1);
    if (soft == none || extent == 0)
        return none;
    return maker.one("batch_norm",
                     {soft, maker.constant({extent}), maker.constant({extent}),
                      maker.constant({extent}), maker.constant({extent})},
                     attributes({{"eps", maker.factor(6.0)}}));
}

Id convBatchNorm(Maker& maker) {
    const Id conv = convolution(maker, maker.ofRank(4), 3, maker.channels(), true);
    const Id id = maker.random.chance(50) ? biased(maker, conv, 1) : conv;
    if (id == none)
        return none;
    const std::int64_t extent = maker.fixedExtent(id, 1);
    const Id norm = maker.one("batch_norm",
                              {id, maker.constant({extent}), maker.constant({extent}),
                               maker.constant({extent}), maker.constant({extent})},
                              attributes({{"eps", maker.factor(6.0)}}));
    return maker.random.chance(60) ? maker.one("relu", {norm}) : norm;
}

Id feedForward(Maker& maker) {
    const Id id = maker.ofRank(2 + maker.random.below(2));
    const std::size_t last = maker.at(id).type.rank() - 1;
    const std::int64_t k = maker.fixedExtent(id, last);
    if (k == 0)
        return none;
    const Id norm = maker.one("layernorm", {id, maker.constant({k}), maker.constant({k})},
                              attributes({{"eps", maker.factor(0.1)}}));
    const std::int64_t wide = maker.channels();
    Id inner = biased(maker, maker.one("dense", {norm, maker.constant({wide, k})}), last);
    inner = maker.one("gelu", {inner});
    inner = biased(maker, maker.one("dense", {inner, maker.constant({k, wide})}), last);
    return binaryTail(maker, inner, id);
}

Id attention(Maker& maker) {
    const std::int64_t heads = maker.random.between(1, 3), size = maker.random.between(1, 8),
                       width = heads * size;
    const Id x = maker.input({maker.extent(), Dim(maker.random.between(1, 7)), Dim(width)});
    const Maker::Known known = maker.at(x);
    const auto head = [&](const Integers& perm) {
        const Id id = biased(maker, maker.one("dense", {x, maker.constant({width, width})}), 2);
        Shape shape = {known.type.shape[0], known.type.shape[1], Dim(heads), Dim(size)};
        return maker.one("transpose",
                         {maker.one("reshape", {id}, attributes({{"shape", Exprs(shape)}}))},
                         attributes({{"perm", perm}}));
    };
    const Id q = head({0, 2, 1, 3}), k = head({0, 2, 3, 1}), v = head({0, 2, 1, 3});
    Id score = maker.one("batch_matmul", {q, k});
    score = maker.one("mul", {score, maker.number(0.125)});
    const Id out =
        maker.one("transpose", {maker.one("batch_matmul", {maker.one("softmax", {score}), v})},
                  attributes({{"perm", Integers{0, 2, 1, 3}}}));
    return maker.one("reshape", {out}, attributes({{"shape", Exprs(known.type.shape)}}));
}

Id inception(Maker& maker) {
    const Id image = maker.ofRank(4);
    std::vector<Id> ways;
    for (std::size_t i = 2 + maker.random.below(2); i > 0; --i) {
        const Id way =
            convolution(maker, image, maker.random.chance(50) ? 1 : 3, maker.channels(), true);
        ways.push_back(maker.random.chance(70) ? maker.one("relu", {way}) : way);
    }
    if (maker.random.chance(50))
        ways.push_back(maker.one(
            "max_pool2d", {image},
            attributes({{"kernel_shape", Integers{3, 3}}, {"pads", Integers{1, 1, 1, 1}}})));
    if (maker.random.chance(30))
        ways.push_back(image);
    const Id joined = maker.one("concat", ways, axis1());
    if (joined == none || maker.random.chance(40))
        return joined;
    return convolution(maker, joined, 1, maker.channels(), true);
}

Id squeezeExcite(Maker& maker) {
    const Id image = maker.ofRank(4);
    const std::int64_t channels = maker.fixedExtent(image, 1);
    if (channels == 0)
        return none;
    Id gate = maker.one("global_average_pool", {image});
    gate = maker.one("relu", {maker.one("conv2d", {gate, maker.constant({4, channels, 1, 1})})});
    gate = maker.one("conv2d", {gate, maker.constant({channels, 4, 1, 1})});
    gate = maker.one(maker.random.chance(50) ? "sigmoid" : "hard_sigmoid", {gate});
    return maker.random.chance(50) ? maker.one("mul", {image, gate})
                                   : maker.one("mul", {gate, image});
}

// Two results of which one reads the other.
Id resultsInTheMiddle(Maker& maker) {
    const Id id = maker.value();
    const std::size_t rank = maker.at(id).type.rank();
    const std::int64_t k = rank == 0 ? 0 : maker.fixedExtent(id, rank - 1);
    if (k == 0)
        return none;
    const std::vector<Id> norm =
        maker.call("layernorm", {id, maker.constant({k}), maker.constant({k})},
                   attributes({{"eps", maker.factor(0.1)}}));
    if (norm.size() != 3)
        return none;
    const Id centred = maker.one("mul", {norm[0], maker.one("sigmoid", {norm[0]})});
    return maker.random.chance(50) ? centred : maker.one("add", {norm[1], norm[2]});
}

Id splitMerge(Maker& maker) {
    const Id image = maker.ofRank(4);
    const std::int64_t channels = maker.fixedExtent(image, 1);
    if (channels < 2)
        return none;
    const Integers sizes = {channels / 2, channels - channels / 2};
    const std::vector<Id> parts =
        maker.call("split", {image}, attributes({{"axis", std::int64_t(1)}, {"sizes", sizes}}));
    if (parts.size() != 2)
        return none;
    const Id way = maker.random.chance(50) ? unaryTail(maker, parts[0])
                                           : convolution(maker, parts[0], 3, sizes[0], true);
    return maker.one(
        "concat",
        {maker.random.chance(50) ? parts[1] : way, maker.random.chance(50) ? way : parts[0]},
        axis1());
}

Id normalisedRows(Maker& maker) { // by hand, as some exporters write it
    const Id id = maker.value();
    const std::size_t rank = maker.at(id).type.rank();
    if (rank == 0)
        return none;
    const Attrs last = attributes({{"axes", Integers{-1}}});
    const Id centred = maker.one("sub", {id, maker.one("reduce_mean", {id}, last)});
    const Id variance = maker.one("reduce_mean", {maker.one("mul", {centred, centred})}, last);
    const Id size = maker.one("add", {variance, maker.number(0.25)});
    return maker.one("div", {centred, maker.one("sqrt", {size})});
}

// Operands of two free dimensions, which the operator takes to be equal, or one of them 1.
Id twoFreeDims(Maker& maker) {
    const std::vector<Dim> dims = maker.freeDims();
    if (dims.size() < 2)
        return none;
    const Dim last = maker.random.chance(50) ? Dim(1) : maker.extent();
    const bool inner = maker.random.chance(40);
    const Id a = maker.input(inner ? Shape{last, dims[0]} : Shape{dims[0], last});
    const Id b = maker.input(inner ? Shape{last, dims[1]} : Shape{dims[1], last});
    switch (maker.random.below(5)) {
    case 0:
        return maker.one("dense", {a, b});
    case 1:
        return maker.one("concat", {a, b}, attributes({{"axis", std::int64_t(inner ? 0 : 1)}}));
    case 2:
        return maker.one("batch_matmul",
                         {a, maker.one("transpose", {b}, attributes({{"perm", Integers{1, 0}}}))});
    default:
        return unaryTail(maker, binaryTail(maker, a, b));
    }
}

Id mapsThenReduction(Maker& maker) {
    Id id = maker.value();
    if (maker.at(id).type.rank() == 0)
        return none;
    id = unaryTail(maker, id);
    if (id == none)
        return none;
    id = binaryTail(maker, id, partner(maker, id));
    if (id == none)
        return none;
    const auto axis = static_cast<std::int64_t>(maker.axisOf(id));
    static const std::vector<const char*> ops = {"reduce_sum", "reduce_max", "reduce_mean"};
    const Id sum = maker.one(maker.random.pick(ops), {id}, attributes({{"axes", Integers{axis}}}));
    return maker.random.chance(50) ? maker.one("sub", {id, sum}) : unaryTail(maker, sum);
}

// Levels of halved sizes, some of them free, and what comes back from them: floor(H / 2), at the
// size of H again.
Id pyramid(Maker& maker) {
    const std::vector<Dim> free = maker.freeDims();
    if (free.empty())
        return none;
    const Dim other = maker.random.chance(60) ? free.back() : maker.side();
    std::vector<Id> levels = {
        maker.input({Dim(1), Dim(maker.random.between(1, 4)), free.front(), other}, maker.main())};
    for (std::size_t i = 1 + maker.random.below(2); i > 0; --i) {
        const std::int64_t side = maker.random.between(2, 3);
        const Attrs halved = attributes({{"kernel_shape", Integers{side, side}},
                                         {"strides", Integers{2, 2}},
                                         {"pads", Integers(4, side == 3 ? 1 : 0)}});
        levels.push_back(maker.one("max_pool2d", {levels.back()}, halved));
        if (levels.back() == none)
            return none;
    }
    Id id = levels.back();
    for (std::size_t i = levels.size() - 1; i-- > 0 && id != none;) {
        for (const std::size_t axis : {2u, 3u})
            if (id != none)
                id = maker.one("resize_nearest", {id},
                               attributes({{"axis", static_cast<std::int64_t>(axis)},
                                           {"size", Exprs{maker.at(levels[i]).type.shape[axis]}},
                                           {"step", 0.5}}));
        id = binaryTail(maker, id, levels[i]);
    }
    return id;
}

} // namespace

std::vector<Recipe> plantedRecipes() {
    return {{"tail", 30, tail},
            {"residual block", 6, residualBlock},
            {"swish", 8, swish},
            {"softmax, batch norm", 5, softmaxBatchNorm},
            {"convolution, batch norm", 6, convBatchNorm},
            {"feed forward", 5, feedForward},
            {"attention", 4, attention},
            {"inception", 6, inception},
            {"squeeze and excite", 5, squeezeExcite},
            {"results in the middle", 4, resultsInTheMiddle},
            {"split, merge", 5, splitMerge},
            {"two free dimensions", 16, twoFreeDims},
            {"pyramid", 20, pyramid},
            {"normalised rows", 4, normalisedRows},
            {"maps, reduction", 6, mapsThenReduction}};
}

} // namespace fw::fuzz
