#include "fuzz/drawn.h"

#include "base/random.h"
#include "fuzz/numbers.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace fw::fuzz {

namespace {

constexpr const char* names[] = {"random", "integers", "edges", "infinite"};

std::size_t countOf(const std::vector<std::int64_t>& extents) {
    return static_cast<std::size_t>(checkedCount(extents).value());
}

// What the elements of one tensor are, besides ordinary ones.
enum class Flavour : std::uint8_t { Tame, Halves, Equal, Zeros, Thousands, Limits };

Flavour flavourOf(Random& random) {
    static const std::vector<Flavour> all = {Flavour::Tame,      Flavour::Tame,  Flavour::Halves,
                                             Flavour::Equal,     Flavour::Zeros, Flavour::Thousands,
                                             Flavour::Thousands, Flavour::Limits};
    return random.pick(all);
}

double edge(Random& random, Flavour flavour, DType dtype) {
    const FloatRange range = rangeOf(dtype);
    const double sign = random.chance(50) ? -1 : 1;
    switch (flavour) {
    case Flavour::Halves:
        return sign * (static_cast<double>(random.below(5)) + 0.5);
    case Flavour::Zeros:
        return sign * 0.0;
    case Flavour::Thousands: {
        static const std::vector<double> some = {10, 100, 255, 256, 1000, 2048, 4097, 30000};
        return sign * random.pick(some);
    }
    case Flavour::Limits: {
        const std::vector<double> limits = {
            range.largest, range.largest / 2, range.leastNormal, range.leastNormal - range.least,
            range.least,   1 + range.step,    1 - range.step / 2};
        return sign * random.pick(limits);
    }
    default:
        return sign;
    }
}

TensorData edges(Values values, DType dtype, std::vector<std::int64_t> extents,
                 std::uint64_t seed) {
    Random random(seed);
    const Flavour flavour = flavourOf(random);
    const bool infinite = values == Values::Infinite && random.chance(60);
    const int share = random.chance(50) ? 60 : 15;
    const double equal = random.chance(50) ? 0.0 : 1.25;
    std::vector<double> numbers(countOf(extents));
    for (double& number : numbers) {
        number =
            random.chance(50) ? static_cast<double>(random.between(-4, 4)) : random.unit() * 2 - 1;
        if (flavour == Flavour::Equal)
            number = random.chance(90) ? equal : number;
        else if (flavour != Flavour::Tame && random.chance(share))
            number = edge(random, flavour, dtype);
        if (infinite && random.chance(8))
            number = random.chance(40)
                         ? std::numeric_limits<double>::quiet_NaN()
                         : std::copysign(std::numeric_limits<double>::infinity(), number);
    }
    return dataOf(dtype, std::move(extents), numbers);
}

TensorData ofIntegers(DType dtype, std::vector<std::int64_t> extents,
                      const std::function<std::int64_t()>& next) {
    const std::size_t count = countOf(extents), size = dtypeBytes(dtype);
    std::vector<std::byte> bytes(count * size);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t value = next(); // little-endian: its low bytes
        std::memcpy(bytes.data() + i * size, &value, size);
    }
    return TensorData(dtype, std::move(extents), std::move(bytes));
}

TensorData integerEdges(DType dtype, std::vector<std::int64_t> extents, std::uint64_t seed) {
    Random random(seed);
    const Flavour flavour = flavourOf(random);
    const int share = random.chance(50) ? 60 : 15;
    const std::int64_t least = leastInteger(dtype), most = mostInteger(dtype);
    const bool isSigned = least < 0;
    const std::vector<std::int64_t> limits = {
        least, most, least + 1, most - 1, most / 2, isSigned ? -1 : most, least / 2, most / 2 + 1};
    const std::int64_t equal = random.chance(50) ? 0 : 3;
    return ofIntegers(dtype, std::move(extents), [&]() -> std::int64_t {
        if (dtype == DType::Bool)
            return flavour == Flavour::Equal ? equal != 0 : random.chance(50);
        const std::int64_t small = random.between(isSigned ? -4 : 0, 4);
        if (flavour == Flavour::Equal)
            return random.chance(90) ? equal : small;
        if (flavour == Flavour::Zeros && random.chance(share))
            return 0;
        if (flavour == Flavour::Thousands && random.chance(share)) // any bits
            return static_cast<std::int64_t>(random.next());
        if (flavour == Flavour::Limits && random.chance(share))
            return random.pick(limits);
        return small;
    });
}

} // namespace

std::string valuesText(Values values) {
    return names[static_cast<std::size_t>(values)];
}

std::optional<Values> parseValues(const std::string& text) {
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (text == names[i])
            return static_cast<Values>(i);
    return std::nullopt;
}

TensorData drawn(Values values, DType dtype, std::vector<std::int64_t> extents,
                 std::uint64_t seed) {
    if (isFloat(dtype)) {
        if (isWild(values))
            return edges(values, dtype, std::move(extents), seed);
        // In f64 these numbers are exact, so what core makes of them is not looked at.
        const TensorData exact = values == Values::Random
                                     ? randomData(DType::F64, std::move(extents), seed)
                                     : randomIntegers(DType::F64, std::move(extents), seed);
        return floatsAs(exact, dtype);
    }
    return isWild(values) ? integerEdges(dtype, std::move(extents), seed)
                          : randomIntegers(dtype, std::move(extents), seed);
}

} // namespace fw::fuzz
