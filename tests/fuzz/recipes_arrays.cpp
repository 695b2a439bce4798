#include "fuzz/recipes.h"

#include <algorithm>

namespace fw::fuzz {

namespace {

Id whole(Maker& maker, std::int64_t value) {
    return maker.constantOf(dataFromIntegers(DType::I64, {}, {value}));
}

// Of rank 2 at least.
Id matrices(Maker& maker) {
    const Id id = withAxis(maker);
    return id != none && maker.at(id).type.rank() >= 2 ? id : maker.ofRank(2);
}

// Square ones are rare among others.
Id square(Maker& maker, std::int64_t most) {
    const Id id = maker.choose([&](const Maker::Known& known) {
        const Shape& shape = known.type.shape;
        return maker.isMain(known) && shape.size() >= 2 && !known.constant &&
               shape[shape.size() - 2] == shape.back() && shape.back().asInt().value_or(99) <= most;
    });
    if (id != none && maker.random.chance(60))
        return id;
    Shape shape;
    for (std::size_t i = maker.random.below(3); i > 0; --i)
        shape.push_back(maker.extent());
    const Dim rows(maker.random.between(maker.random.chance(5) ? 0 : 1, most));
    shape.insert(shape.end(), {rows, rows});
    return maker.input(std::move(shape));
}

Id trilu(Maker& maker) {
    std::vector<Id> operands = {matrices(maker)};
    static const std::vector<std::int64_t> far = {-1000, 1000, INT64_MIN, INT64_MAX};
    if (maker.random.chance(60))
        operands.push_back(maker.random.chance(70)   ? whole(maker, maker.random.between(-4, 4))
                           : maker.random.chance(30) ? whole(maker, maker.random.pick(far))
                                                     : maker.input({}, DType::I64));
    Attrs attrs;
    if (maker.random.chance(70))
        attrs.set("upper", std::int64_t(maker.random.chance(50) ? 1 : 0));
    return maker.one("trilu", operands, attrs);
}

Id eye(Maker& maker) {
    Attrs attrs = attributes({{"to", maker.anyType()}});
    if (maker.random.chance(60))
        attrs.set("k", maker.random.chance(90) ? maker.random.between(-3, 3)
                                               : maker.random.between(-1, 1) * 1000);
    return maker.one("eye", {maker.ofRank(2)}, attrs);
}

Id reverseSequence(Maker& maker) {
    const Id id = matrices(maker);
    const Dim count = maker.at(id).type.shape[1];
    const auto rows = count.asInt();
    const std::int64_t length = maker.extents(id)[0];
    if (!rows || *rows > 16 || maker.random.chance(30))
        return maker.one("reverse_sequence", {id, maker.input({count}, DType::I64)});
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < *rows; ++i)
        lengths.push_back(maker.random.between(0, length));
    return maker.one("reverse_sequence",
                     {id, maker.constantOf(dataFromIntegers(DType::I64, {*rows}, lengths))});
}

Id pad(Maker& maker, const char* op) {
    const Id id = withAxis(maker);
    if (id == none)
        return none;
    const std::vector<std::int64_t> extents = maker.extents(id);
    Integers before, behind;
    for (const std::int64_t extent : extents)
        for (Integers* side : {&before, &behind}) {
            const std::int64_t low =
                maker.random.chance(20) ? -std::min<std::int64_t>(extent, 3) : 0;
            side->push_back(maker.random.chance(45) ? maker.random.between(low, 3) : 0);
            if (maker.random.chance(3)) // several times around
                side->back() = 2 * extent + 1;
        }
    return maker.one(op, {id}, attributes({{"before", before}, {"behind", behind}}));
}

Id range(Maker& maker) {
    const DType dtype = maker.anyType();
    const auto number = [&](double value) {
        return maker.random.chance(70) ? maker.number(value, dtype) : maker.input({}, dtype);
    };
    static const std::vector<double> deltas = {2, 2, 1, -1, 0, -0.375, 0.1};
    const Id start = number(static_cast<double>(maker.random.between(-5, 5))),
             delta = number(maker.random.pick(deltas));
    return maker.one("range", {start, delta},
                     attributes({{"size", Integers{maker.random.between(0, 17)}}}));
}

// A row of numbers or of complex ones, along any axis but the last.
Id dft(Maker& maker) {
    Id id = maker.choose([&](const Maker::Known& known) {
        const Shape& shape = known.type.shape;
        return maker.isMain(known) && shape.size() >= 2 && !known.constant &&
               (shape.back() == Dim(1) || shape.back() == Dim(2));
    });
    if (id == none || maker.random.chance(50)) {
        Shape shape;
        for (std::size_t i = 1 + maker.random.below(3); i > 0; --i)
            shape.push_back(maker.extent());
        shape.push_back(Dim(maker.random.between(1, 2)));
        id = maker.input(std::move(shape));
    }
    const std::size_t axis = maker.random.below(maker.at(id).type.rank() - 1);
    const std::int64_t extent = maker.extents(id)[axis];
    const std::int64_t length =
        maker.random.chance(60) && extent > 0 ? extent : maker.random.between(1, 9);
    Attrs attrs = attributes({{"axis", saidAxis(maker, id, axis)}, {"length", Integers{length}}});
    if (maker.random.chance(25))
        return maker.one("inverse_real_dft", {id}, attrs);
    for (const char* name : {"inverse", "onesided"})
        if (maker.random.chance(50))
            attrs.set(name, std::int64_t(maker.random.chance(50) ? 1 : 0));
    return maker.one("dft", {id}, attrs);
}

Id cosineWindow(Maker& maker) {
    Attrs attrs =
        attributes({{"size", Integers{maker.random.between(maker.random.chance(10) ? 0 : 1, 17)}},
                    {"a", maker.factor(maker.random.chance(50) ? 0.5 : 0.42)},
                    {"b", maker.factor(0.5)}});
    if (maker.random.chance(50))
        attrs.set("c", maker.factor(0.08));
    if (maker.random.chance(60))
        attrs.set("periodic", std::int64_t(maker.random.chance(40) ? 1 : 0));
    if (maker.random.chance(40))
        attrs.set("to", maker.anyType());
    return maker.one("cosine_window", {}, attrs);
}

Id melWeights(Maker& maker) {
    const auto number = [&](std::int64_t value, double part = 0.37) { // between corners
        return maker.constantOf(
            dataFromDoubles(DType::F64, {}, {static_cast<double>(value) + part}));
    };
    const double ofRate = maker.random.chance(70) ? 0 : 0.37; // a fraction is not written as ONNX
    const std::int64_t low = maker.random.between(0, 40),
                       high = low + maker.random.between(1, 300); // up to half the rate
    return maker.one(
        "mel_weights",
        {number(2 * high + maker.random.between(1, 400), ofRate), number(low), number(high)},
        attributes({{"bins", Integers{maker.random.between(1, 6)}},
                    {"length", Integers{maker.random.between(1, 20)}},
                    {"to", maker.random.chance(50) ? DType::F32 : maker.anyType()}}));
}

Id stft(Maker& maker) {
    const Id signal = maker.input(
        {maker.extent(), Dim(maker.random.between(4, 24)), Dim(maker.random.between(1, 2))});
    Id window = maker.choose([&](const Maker::Known& known) {
        return maker.isMain(known) && known.type.rank() == 1 &&
               known.type.shape[0].asInt().value_or(0) > 0 &&
               known.type.shape[0].asInt().value_or(99) <= 8;
    });
    if (window == none || maker.random.chance(50))
        window = maker.constant({maker.random.between(1, 8)});
    Attrs attrs = attributes({{"step", Integers{maker.random.between(1, 5)}}});
    if (maker.random.chance(50))
        attrs.set("onesided", std::int64_t(maker.random.chance(50) ? 1 : 0));
    return maker.one("stft", {signal, window}, attrs);
}

} // namespace

std::vector<Recipe> arrayRecipes() {
    std::vector<Recipe> out = {
        {"trilu", 3, trilu},
        {"eye", 2, eye},
        {"diagonal", 2, [](Maker& maker) { return maker.one("diagonal", {square(maker, 17)}); }},
        {"det", 2, [](Maker& maker) { return maker.one("det", {square(maker, 5)}); }},
        {"reverse_sequence", 3, reverseSequence},
        {"range", 2, range},
        {"dft", 3, dft},
        {"stft", 2, stft},
        {"mel_weights", 2, melWeights},
        {"cosine_window", 2, cosineWindow}};
    for (const char* op : {"pad_edge", "pad_reflect", "pad_wrap"})
        out.push_back({op, 3, [op](Maker& maker) { return pad(maker, op); }});
    return out;
}

} // namespace fw::fuzz
