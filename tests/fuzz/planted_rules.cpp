// Shapes that the shipped rules look for, whole and nearly so.
#include "fuzz/recipes.h"

namespace fw::fuzz {

namespace {

Attrs lastAxis() {
    return attributes({{"axes", Integers{-1}}});
}

// In either order.
Id product(Maker& maker, Id a, Id b) {
    return maker.random.chance(50) ? maker.one("mul", {a, b}) : maker.one("mul", {b, a});
}

Id sum(Maker& maker, Id a, Id b) {
    return maker.random.chance(50) ? maker.one("add", {a, b}) : maker.one("add", {b, a});
}

// A number, sometimes another one.
Id nearly(Maker& maker, double value) {
    return maker.number(maker.random.chance(85) ? value : value * 1.25);
}

Id geluByParts(Maker& maker) {
    const Id x = maker.value();
    const Id e = maker.one("erf", {maker.one("div", {x, nearly(maker, 1.4142135623730951)})});
    const Id one = sum(maker, e, maker.number(1));
    return maker.random.chance(50) ? product(maker, product(maker, x, one), nearly(maker, 0.5))
                                   : product(maker, product(maker, x, nearly(maker, 0.5)), one);
}

Id hardSwishByParts(Maker& maker) {
    const Id x = maker.value();
    const Id moved = sum(maker, x, nearly(maker, 3));
    const Id held = maker.one("clip", {moved}, attributes({{"min", 0.0}, {"max", 6.0}}));
    return maker.random.chance(50) ? maker.one("div", {product(maker, x, held), nearly(maker, 6)})
                                   : product(maker, x, maker.one("div", {held, nearly(maker, 6)}));
}

Id sigmoidByParts(Maker& maker) {
    const Id x = maker.value();
    const Id below = sum(maker, maker.one("exp", {maker.one("neg", {x})}), maker.number(1));
    return maker.one("div", {maker.random.chance(50) ? nearly(maker, 1) : x, below});
}

Id swishBySlope(Maker& maker) {
    const Id x = maker.value();
    const Id slope = product(maker, x, maker.number(maker.factor(1.702)));
    return product(maker, x, maker.one("sigmoid", {slope}));
}

Id softplusByParts(Maker& maker) {
    const Id x = maker.value();
    const Id soft = maker.one("log", {sum(maker, maker.one("exp", {x}), nearly(maker, 1))});
    return maker.random.chance(50) ? soft : product(maker, x, maker.one("tanh", {soft}));
}

Id rmsByParts(Maker& maker) {
    const Id x = maker.value();
    if (x == none || maker.at(x).type.rank() == 0)
        return none;
    const Id mean = maker.one("reduce_mean", {maker.one("mul", {x, x})}, lastAxis());
    const Id root = maker.one("sqrt", {maker.one("add", {mean, nearly(maker, 0.25)})});
    return maker.one("div", {x, root});
}

Id softmaxByParts(Maker& maker) {
    const Id x = maker.value();
    if (x == none || maker.at(x).type.rank() == 0)
        return none;
    if (maker.random.chance(40))
        return maker.one("log", {maker.one("softmax", {x})});
    const Id most =
        maker.one(maker.random.chance(85) ? "reduce_max" : "reduce_min", {x}, lastAxis());
    const Id e = maker.one("exp", {maker.one("sub", {x, most})});
    return maker.one("div", {e, maker.one("reduce_sum", {e}, lastAxis())});
}

// Bounds after bounds, some of which exclude each other.
Id clamps(Maker& maker) {
    Id id = maker.value();
    for (std::size_t steps = 2 + maker.random.below(3); steps > 0 && id != none; --steps) {
        const Id bound =
            maker.number(maker.factor(static_cast<double>(maker.random.between(-2, 2))));
        switch (maker.random.below(4)) {
        case 0:
            id = maker.one("relu", {id});
            break;
        case 1:
            id = maker.one("max", {id, bound});
            break;
        case 2:
            id = maker.one("min", {bound, id});
            break;
        default: {
            Attrs attrs;
            for (const char* end : {"min", "max"})
                if (maker.random.chance(75))
                    attrs.set(end, maker.factor(static_cast<double>(maker.random.between(-3, 3))));
            id = maker.one("clip", {id}, attrs);
        }
        }
    }
    return id;
}

// To another type and back, with something between or not.
Id thereAndBack(Maker& maker) {
    const Id x = maker.value();
    if (x == none)
        return none;
    Id id = maker.one("cast", {x}, attributes({{"to", maker.anyType()}}));
    static const std::vector<const char*> ops = {"abs", "relu", "neg", "sign", "round", "identity"};
    if (maker.random.chance(60))
        id = maker.one(maker.random.pick(ops), {id});
    id = maker.one("cast", {id}, attributes({{"to", maker.main()}}));
    return maker.random.chance(50) ? id : maker.one("add", {id, x});
}

// A border, or two, before a window.
Id bordered(Maker& maker) {
    Id id = maker.ofRank(4);
    for (std::size_t i = 1 + maker.random.below(2); i > 0; --i) {
        Integers pads(8);
        for (const std::size_t side : {2, 3, 6, 7})
            pads[side] = maker.random.between(maker.random.chance(10) ? -1 : 0, 2);
        if (maker.random.chance(10))
            pads[maker.random.below(8)] = 1;
        Attrs attrs = attributes({{"pads", pads}});
        if (maker.random.chance(30))
            attrs.set("value", maker.factor(0));
        id = maker.one("pad", {id}, attrs);
    }
    if (id == none)
        return none;
    if (maker.random.chance(50))
        return convolution(maker, id, 3, maker.channels(), maker.random.chance(50));
    return maker.one(maker.random.chance(60) ? "avg_pool2d" : "max_pool2d", {id},
                     attributes({{"kernel_shape", Integers{2, 2}}}));
}

// Factors before and behind a product, of each channel or one for all, with a relu between.
Id scaled(Maker& maker) {
    const bool image = maker.random.chance(60);
    Id id = maker.ofRank(image ? 4 : 2);
    const auto factor = [&] {
        if (id == none)
            return;
        const std::int64_t channels = maker.fixedExtent(id, 1);
        if (maker.random.chance(30))
            id = product(maker, id, maker.number(maker.factor(0.5)));
        else if (channels > 0)
            id = maker.one("scale", {id, maker.random.chance(50) ? maker.positive(channels)
                                                                 : maker.constant({channels})});
    };
    if (maker.random.chance(50))
        factor();
    if (maker.random.chance(40))
        id = maker.one("relu", {id});
    if (id == none)
        return none;
    if (image) {
        id = convolution(maker, id, maker.random.chance(50) ? 1 : 3, maker.channels(), true);
    } else {
        const std::int64_t k = maker.fixedExtent(id, 1);
        if (k == 0)
            return none;
        id = maker.one("dense", {id, maker.constant({maker.channels(), k})});
    }
    if (maker.random.chance(40))
        id = maker.one("relu", {id});
    if (maker.random.chance(60))
        factor();
    return id;
}

// What a slice or a concat takes of another one.
Id nested(Maker& maker) {
    const Id x = withAxis(maker);
    if (x == none)
        return none;
    const auto axis = static_cast<std::int64_t>(maker.axisOf(x));
    const Attrs along = attributes({{"axis", axis}});
    if (maker.random.chance(50)) {
        const Id inner = maker.one("concat", {x, maker.like(maker.at(x))}, along);
        return maker.random.chance(50) ? maker.one("concat", {inner, x}, along)
                                       : maker.one("concat", {x, inner}, along);
    }
    Id id = x;
    for (int i = 0; i < 2 && id != none; ++i) {
        const bool back = maker.random.chance(30);
        id = maker.one(
            "slice", {id},
            attributes({{"starts", Integers{back ? -1 : maker.random.between(-3, 2)}},
                        {"ends", Integers{back ? INT64_MIN : INT64_MAX}},
                        {"axes", Integers{axis}},
                        {"steps", Integers{maker.random.between(1, 2) * (back ? -1 : 1)}}}));
    }
    return id;
}

} // namespace

std::vector<Recipe> ruleRecipes() {
    return {{"gelu by parts", 4, geluByParts},
            {"hard swish by parts", 3, hardSwishByParts},
            {"sigmoid by parts", 3, sigmoidByParts},
            {"swish by its slope", 3, swishBySlope},
            {"softplus by parts", 3, softplusByParts},
            {"root mean square by parts", 3, rmsByParts},
            {"softmax by parts", 3, softmaxByParts},
            {"clamps", 8, clamps},
            {"there and back", 6, thereAndBack},
            {"bordered window", 6, bordered},
            {"scaled product", 8, scaled},
            {"nested", 5, nested}};
}

} // namespace fw::fuzz
