#include "fuzz/recipes.h"

namespace fw::fuzz {

namespace {

bool isNumber(const Maker::Known& known) {
    return isFloat(known.type.dtype) || isInteger(known.type.dtype);
}

// Any number, mostly f32.
Id number(Maker& maker) {
    if (maker.random.chance(70))
        return maker.value();
    if (const Id id = maker.choose(isNumber); id != none && maker.random.chance(60))
        return id;
    Shape shape;
    for (std::size_t i = maker.random.below(4); i > 0; --i)
        shape.push_back(maker.extent());
    return maker.input(std::move(shape), maker.anyType());
}

Id truth(Maker& maker) {
    if (const Id id =
            maker.choose([](const Maker::Known& known) { return known.type.dtype == DType::Bool; });
        id != none && maker.random.chance(80))
        return id;
    const Id a = number(maker);
    return maker.one("less", {a, partner(maker, a)});
}

Id unary(Maker& maker, const char* op) {
    const Id id = maker.value();
    return maker.one(op, {maker.random.chance(15) ? detour(maker, id) : id}, maker.factors(op));
}

// The other operand of a binary operator.
Id other(Maker& maker, Id id) {
    const Maker::Known known = maker.at(id);
    if (maker.random.chance(40))
        return partner(maker, id);
    if (maker.random.chance(30))
        return maker.choose([&](const Maker::Known& one) {
            return one.type.dtype == known.type.dtype && one.type.rank() <= known.type.rank();
        });
    return maker.constant(broadcastOf(maker, known.type.shape), known.type.dtype);
}

Id binary(Maker& maker, const char* op) {
    const Id a = number(maker), b = other(maker, a);
    return maker.random.chance(25) ? maker.one(op, {b, a}) : maker.one(op, {a, b});
}

// Operators with a domain: the operand is brought into it first.
Id inDomain(Maker& maker, const char* op) {
    if (isWild(maker.values()) && maker.random.chance(50))
        return maker.one(op, {maker.value()});
    Id id = maker.choose([&](const Maker::Known& known) {
        return maker.isMain(known) && known.smallest > 0.05 && !known.constant;
    });
    if (id == none || maker.random.chance(50)) {
        const Id size = maker.one("abs", {maker.value()});
        id = maker.one("add", {size, maker.number(0.5)});
    }
    return maker.one(op, {id});
}

Id divide(Maker& maker) {
    const Id a = number(maker);
    if (!isFloat(maker.at(a).type.dtype) || (isWild(maker.values()) && maker.random.chance(50)))
        return maker.one("div", {a, other(maker, a)});
    const Id low = maker.one("abs", {other(maker, a)});
    const DType dtype = maker.at(a).type.dtype;
    const Id divisor = maker.one("add", {low, maker.number(0.75, dtype)});
    return maker.one("div", {a, divisor});
}

Id power(Maker& maker) {
    static const std::vector<double> exponents = {0.5, 1, 2, 3, -1, 1.5, 0.25, 0, -2, -0.5, 4};
    const double exponent = maker.random.pick(exponents);
    const Id power = maker.number(exponent);
    if (isWild(maker.values()) && maker.random.chance(50))
        return maker.one("pow", {maker.value(), maker.random.chance(60) ? power : maker.value()});
    if (exponent == 2 || exponent == 3 || exponent == 1 || exponent == 0)
        return maker.one("pow", {maker.value(), power});
    const Id base = maker.one("abs", {maker.value()});
    const Id safe = maker.one("add", {base, maker.number(0.5)});
    return maker.one("pow", {safe, power});
}

Id clip(Maker& maker) {
    Attrs attrs;
    if (maker.random.chance(80))
        attrs.set("min", maker.factor(static_cast<double>(maker.random.between(-3, 1))));
    if (maker.random.chance(80)) // below the other one, too
        attrs.set("max",
                  maker.factor(maker.random.chance(50) ? 6.0 : 0.5 + maker.random.unit() * 2));
    return maker.one("clip", {number(maker)}, attrs);
}

Id cast(Maker& maker) {
    const Id id = maker.choose([](const Maker::Known&) { return true; });
    return id == none ? none : maker.one("cast", {id}, attributes({{"to", maker.anyType()}}));
}

Id where(Maker& maker) {
    const Id a = number(maker), b = other(maker, a);
    if (b == none)
        return none;
    const Maker::Known known = maker.at(a);
    Id condition = maker.choose([&](const Maker::Known& one) {
        return one.type.dtype == DType::Bool && one.type.shape == known.type.shape;
    });
    if (condition == none)
        condition = maker.one("less", {a, b});
    return maker.one("where", {condition, a, b});
}

Id perAxis(Maker& maker, const char* op) {
    const Id id = maker.value();
    const std::size_t rank = maker.at(id).type.rank();
    if (rank == 0)
        return none;
    const std::size_t axis = rank > 1 && maker.random.chance(60) ? 1 : maker.axisOf(id);
    const std::int64_t extent = maker.fixedExtent(id, axis);
    if (extent == 0)
        return none;
    const auto given = static_cast<std::int64_t>(axis) -
                       (maker.random.chance(20) ? static_cast<std::int64_t>(rank) : 0);
    const Id operand = maker.random.chance(80) ? maker.constant({extent}) : maker.input({extent});
    return maker.one(op, {id, operand}, attributes({{"axis", given}}));
}

Id batchNorm(Maker& maker) {
    const Id id = maker.ofRank(maker.random.chance(70) ? 4 : 2 + maker.random.below(3));
    const std::int64_t extent = maker.fixedExtent(id, 1);
    if (extent == 0)
        return none;
    // A variance that is a random constant lies above -1, so eps keeps the root real.
    const bool small = extent <= 16 && maker.random.chance(50);
    const Id variance = small ? maker.positive(extent) : maker.constant({extent});
    return maker.one("batch_norm",
                     {id, maker.constant({extent}), maker.constant({extent}),
                      maker.constant({extent}), variance},
                     attributes({{"eps", maker.factor(small ? 1e-5 : 6.0)}}));
}

Id prelu(Maker& maker) {
    const Id id = maker.value();
    if (maker.random.chance(20))
        return maker.one("prelu", {id, partner(maker, id)});
    return maker.one("prelu", {id, maker.constant(broadcastOf(maker, maker.at(id).type.shape))});
}

} // namespace

std::vector<Recipe> elementwiseRecipes() {
    std::vector<Recipe> out;
    for (const char* op : {"relu", "sigmoid", "tanh", "gelu", "exp", "hard_swish", "mish", "abs"})
        out.push_back({op, 6, [op](Maker& maker) { return unary(maker, op); }});
    for (const char* op :
         {"leaky_relu", "elu", "hard_sigmoid", "softplus", "softsign", "sin", "cos", "erf", "neg",
          "sign", "floor", "ceil", "round", "identity", "dropout"})
        out.push_back({op, 4, [op](Maker& maker) { return unary(maker, op); }});
    for (const char* op : {"sqrt", "rsqrt", "reciprocal", "log"})
        out.push_back({op, 3, [op](Maker& maker) { return inDomain(maker, op); }});
    for (const char* op : {"add", "mul"})
        out.push_back({op, 16, [op](Maker& maker) { return binary(maker, op); }});
    for (const char* op : {"sub", "max", "min"})
        out.push_back({op, 8, [op](Maker& maker) { return binary(maker, op); }});
    for (const char* op : {"equal", "less", "less_or_equal", "greater", "greater_or_equal"})
        out.push_back({op, 2, [op](Maker& maker) { return binary(maker, op); }});
    for (const char* op : {"and", "or"})
        out.push_back({op, 2, [op](Maker& maker) {
                           const Id a = truth(maker);
                           return a == none ? none : maker.one(op, {a, partner(maker, a)});
                       }});
    out.push_back({"not", 2, [](Maker& maker) { return maker.one("not", {truth(maker)}); }});
    out.push_back({"div", 8, divide});
    out.push_back({"pow", 4, power});
    out.push_back({"clip", 8, clip});
    out.push_back({"cast", 8, cast});
    out.push_back({"where", 4, where});
    for (const char* op : {"bias", "scale"})
        out.push_back({op, 7, [op](Maker& maker) { return perAxis(maker, op); }});
    out.push_back({"batch_norm", 7, batchNorm});
    out.push_back({"prelu", 4, prelu});
    return out;
}

} // namespace fw::fuzz
