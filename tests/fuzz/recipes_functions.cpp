#include "fuzz/numbers.h"
#include "fuzz/recipes.h"

#include <algorithm>

namespace fw::fuzz {

namespace {

Id unary(Maker& maker, const char* op) {
    const Id id = maker.value();
    return maker.one(op, {maker.random.chance(15) ? detour(maker, id) : id}, maker.factors(op));
}

// With attributes that are left out half of the time.
Id shaped(Maker& maker, const char* op, const std::vector<std::pair<const char*, double>>& given) {
    Attrs attrs;
    for (const auto& [name, value] : given)
        if (maker.random.chance(50))
            attrs.set(name, maker.factor(value * static_cast<double>(maker.random.between(1, 3))));
    return maker.one(op, {maker.value()}, attrs);
}

// Inverses of sine, cosine and tanh: the operand lies well between -1 and 1, where they end or are
// steep.
Id betweenOnes(Maker& maker, const char* op) {
    if (isWild(maker.values()) && maker.random.chance(40))
        return maker.one(op, {maker.value()});
    Id id = maker.choose([&](const Maker::Known& known) {
        return maker.isMain(known) && known.largest < 0.9 && !known.constant;
    });
    if (id == none || maker.random.chance(60)) {
        const double end = maker.random.chance(50) ? 0.875 : 0.5;
        id = maker.one("clip", {maker.value()}, attributes({{"min", -end}, {"max", end}}));
    }
    return maker.one(op, {id});
}

Id acosh(Maker& maker) {
    const Id size = maker.one("abs", {maker.value()});
    return maker.one("acosh", {maker.one("add", {size, maker.number(1.25)})});
}

// Away from the places where a quotient leaves no rest: there every rounding jumps, which the judge
// sees, and which leaves little to see.
Id fmod(Maker& maker) {
    const Id a = maker.value();
    if (isWild(maker.values()) && maker.random.chance(50))
        return maker.one("fmod", {a, partner(maker, a)});
    if (maker.random.chance(50)) {
        static const std::vector<double> divisors = {1, 2, 3, -2, 0.75, 1.5, -0.3};
        return maker.one("fmod", {a, maker.number(maker.random.pick(divisors))});
    }
    const Id size = maker.one("abs", {partner(maker, a)});
    return maker.one("fmod", {a, maker.one("add", {size, maker.number(0.75)})});
}

Id integer(Maker& maker, const std::vector<DType>& types) {
    const Id id = maker.choose([&](const Maker::Known& known) {
        return std::find(types.begin(), types.end(), known.type.dtype) != types.end() &&
               !known.constant;
    });
    if (id != none && maker.random.chance(50))
        return id;
    Shape shape;
    for (std::size_t i = maker.random.below(4); i > 0; --i)
        shape.push_back(maker.extent());
    return maker.input(std::move(shape), maker.random.pick(types));
}

Id ofIntegers(Maker& maker, const char* op) {
    static const std::vector<DType> types = {DType::I8,  DType::U8,  DType::I16, DType::U16,
                                             DType::I32, DType::I32, DType::U32, DType::I64,
                                             DType::I64, DType::U64};
    const Id a = integer(maker, types);
    const DType dtype = maker.at(a).type.dtype;
    if (maker.random.chance(40))
        return maker.one(op, {a, partner(maker, a)});
    const bool isSigned = leastInteger(dtype) < 0;
    const std::int64_t b = maker.random.between(isSigned ? -5 : 0, 7);
    return maker.one(op, {a, maker.number(static_cast<double>(b), dtype)});
}

// Exponents of any integer type, of many bits, too.
Id intPow(Maker& maker) {
    if (maker.random.chance(60))
        return ofIntegers(maker, "int_pow");
    static const std::vector<DType> types = {DType::I8,  DType::U8,  DType::I16, DType::U16,
                                             DType::I32, DType::U32, DType::I64, DType::U64};
    const Id base = integer(maker, types);
    const DType dtype = maker.random.pick(types);
    const Id exponent = maker.one("cast", {partner(maker, base)}, attributes({{"to", dtype}}));
    if (maker.random.chance(50))
        return maker.one("int_pow", {base, exponent});
    static const std::vector<double> many = {31, 32, 63, 64, 65, 99, 127};
    return maker.one("int_pow", {base, maker.number(maker.random.pick(many), dtype)});
}

// By more than the type has bits, too.
Id shift(Maker& maker, const char* op) {
    static const std::vector<DType> types = {DType::U8, DType::U16, DType::U32, DType::U64};
    const Id a = integer(maker, types);
    if (maker.random.chance(40))
        return maker.one(op, {a, partner(maker, a)});
    static const std::vector<double> by = {0, 1, 2, 3, 5, 7, 8, 15, 31, 40, 63, 64, 70};
    return maker.one(op, {a, maker.number(maker.random.pick(by), maker.at(a).type.dtype)});
}

Id exclusive(Maker& maker) {
    Id a = maker.choose([](const Maker::Known& known) { return known.type.dtype == DType::Bool; });
    if (a == none) {
        const Id x = maker.value();
        a = maker.one("less", {x, partner(maker, x)});
    }
    return a == none ? none : maker.one("xor", {a, partner(maker, a)});
}

Id isInf(Maker& maker) {
    Attrs attrs;
    for (const char* side : {"negative", "positive"})
        if (maker.random.chance(40))
            attrs.set(side, std::int64_t(0));
    return maker.one("is_inf", {maker.value()}, attrs);
}

const std::vector<double>& scales() {
    static const std::vector<double> all = {0.5, 0.25, 0.0625, 1, 2, 0.1, 0.03, 0.007};
    return all;
}

DType smallInteger(Maker& maker) {
    static const std::vector<DType> types = {DType::U8, DType::U8, DType::I8, DType::I8,
                                             DType::I32};
    return maker.random.pick(types);
}

double zeroPoint(Maker& maker, DType dtype) {
    if (dtype == DType::I32)
        return 0;
    return static_cast<double>(dtype == DType::U8 ? maker.random.between(0, 255)
                                                  : maker.random.between(-128, 127));
}

// A scale and a zero point for each of so many.
std::pair<Id, Id> scalesAndZeros(Maker& maker, std::int64_t extent, DType dtype) {
    if (!isFloat(maker.main()))
        return {none, none};
    std::vector<double> steps, zeros;
    for (std::int64_t i = 0; i < extent; ++i) {
        steps.push_back(maker.random.pick(scales()));
        zeros.push_back(zeroPoint(maker, dtype));
    }
    return {maker.constantOf(dataOf(maker.main(), {extent}, steps)),
            maker.constantOf(dataOf(dtype, {extent}, zeros))};
}

// Quantized, and half of the time back again, as in exported models.
Id quantize(Maker& maker) {
    const DType dtype = smallInteger(maker);
    const Id scale = maker.number(maker.random.pick(scales())),
             zero = maker.number(zeroPoint(maker, dtype), dtype);
    const Id q = maker.one("quantize", {maker.value(), scale, zero});
    return maker.random.chance(50) ? maker.one("dequantize", {q, scale, zero}) : q;
}

Id quantizeAlong(Maker& maker) {
    const Id id = maker.value();
    if (maker.at(id).type.rank() == 0)
        return none;
    const std::size_t axis = maker.axisOf(id);
    const std::int64_t extent = maker.fixedExtent(id, axis);
    if (extent == 0 || extent > 16)
        return none;
    const auto [scale, zero] = scalesAndZeros(maker, extent, smallInteger(maker));
    const Attrs attrs = attributes({{"axis", saidAxis(maker, id, axis)}});
    const Id q = maker.one("quantize_along", {id, scale, zero}, attrs);
    return maker.random.chance(50) ? maker.one("dequantize_along", {q, scale, zero}, attrs) : q;
}

// Blocks of an axis, the last of which may be smaller.
Id quantizeBlocks(Maker& maker) {
    const Id id = maker.value();
    if (maker.at(id).type.rank() == 0 || !maker.isFixed(id) || !isFloat(maker.main()))
        return none;
    const std::size_t axis = maker.axisOf(id);
    const std::int64_t block = maker.random.between(1, 4);
    std::vector<std::int64_t> extents = maker.extents(id);
    extents[axis] = (extents[axis] + block - 1) / block;
    const DType dtype = smallInteger(maker);
    std::int64_t count = 1;
    for (const std::int64_t extent : extents)
        count *= extent;
    if (count > 64)
        return none;
    std::vector<double> steps, zeros;
    for (std::int64_t i = 0; i < count; ++i) {
        steps.push_back(maker.random.pick(scales()));
        zeros.push_back(zeroPoint(maker, dtype));
    }
    const Id scale = maker.constantOf(dataOf(maker.main(), extents, steps)),
             zero = maker.constantOf(dataOf(dtype, extents, zeros));
    const Attrs attrs = attributes({{"axis", saidAxis(maker, id, axis)}, {"block", block}});
    const Id q = maker.one("quantize_blocks", {id, scale, zero}, attrs);
    return maker.random.chance(50) ? maker.one("dequantize_blocks", {q, scale, zero}, attrs) : q;
}

Id quantized(Maker& maker) {
    return integer(maker, {DType::U8, DType::I8, DType::I32});
}

Id dequantize(Maker& maker) {
    const Id id = quantized(maker);
    const DType dtype = maker.at(id).type.dtype;
    return maker.one("dequantize", {id, maker.number(maker.random.pick(scales())),
                                    maker.number(zeroPoint(maker, dtype), dtype)});
}

Id dequantizeAlong(Maker& maker) {
    const Id id = quantized(maker);
    if (maker.at(id).type.rank() == 0)
        return none;
    const std::size_t axis = maker.axisOf(id);
    const std::int64_t extent = maker.fixedExtent(id, axis);
    if (extent == 0 || extent > 16)
        return none;
    const auto [scale, zero] = scalesAndZeros(maker, extent, maker.at(id).type.dtype);
    return maker.one("dequantize_along", {id, scale, zero},
                     attributes({{"axis", saidAxis(maker, id, axis)}}));
}

// Where all values are 0 the scale is, too, and the operator divides by it.
Id dynamicQuantize(Maker& maker) {
    const Id id = maker.value();
    if (maker.at(id).largest < 0.1)
        return none;
    const std::vector<Id> out = maker.call("dynamic_quantize", {id});
    return out[maker.random.below(out.size())];
}

} // namespace

std::vector<Recipe> functionRecipes() {
    std::vector<Recipe> out;
    for (const char* op : {"atan", "sinh", "cosh", "asinh", "gelu_tanh", "is_nan"})
        out.push_back({op, 2, [op](Maker& maker) { return unary(maker, op); }});
    for (const char* op : {"asin", "acos", "atanh", "tan"})
        out.push_back({op, 2, [op](Maker& maker) { return betweenOnes(maker, op); }});
    out.push_back({"acosh", 2, acosh});
    out.push_back({"swish", 3, [](Maker& maker) {
                       return shaped(maker, "swish", {{"alpha", 0.5}});
                   }});
    out.push_back({"celu", 2, [](Maker& maker) {
                       return shaped(maker, "celu", {{"alpha", 0.7}});
                   }});
    out.push_back({"selu", 2, [](Maker& maker) {
                       return shaped(maker, "selu", {{"alpha", 0.8}, {"gamma", 1.1}});
                   }});
    out.push_back({"thresholded_relu", 2, [](Maker& maker) {
                       return shaped(maker, "thresholded_relu", {{"alpha", 0.3}});
                   }});
    out.push_back({"shrink", 2, [](Maker& maker) {
                       return shaped(maker, "shrink", {{"lambda", 0.3}, {"bias", 0.25}});
                   }});
    out.push_back({"fmod", 2, fmod});
    for (const char* op : {"mod", "rem"})
        out.push_back({op, 3, [op](Maker& maker) { return ofIntegers(maker, op); }});
    out.push_back({"int_pow", 3, intPow});
    for (const char* op : {"shift_left", "shift_right"})
        out.push_back({op, 2, [op](Maker& maker) { return shift(maker, op); }});
    out.push_back({"xor", 2, exclusive});
    out.push_back({"is_inf", 2, isInf});
    out.push_back({"quantize", 3, quantize});
    out.push_back({"quantize_along", 3, quantizeAlong});
    out.push_back({"dequantize", 2, dequantize});
    out.push_back({"dequantize_along", 2, dequantizeAlong});
    out.push_back({"quantize_blocks", 2, quantizeBlocks});
    out.push_back({"dynamic_quantize", 2, dynamicQuantize});
    return out;
}

} // namespace fw::fuzz
