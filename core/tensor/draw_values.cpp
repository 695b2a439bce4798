#include "tensor/draw_values.h"

#include "expr/scalar.h"
#include "tensor/bounded_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fw {

namespace {

struct Extents {
    std::vector<std::int64_t> extents;
    std::size_t count = 1;

    explicit Extents(const Shape& shape) {
        for (const Dim& dim : shape) {
            extents.push_back(dim.asInt().value_or(0));
            count *= static_cast<std::size_t>(extents.back());
        }
    }
};

// Ends of the type and of smaller ones, and what floating point types hold no more.
std::int64_t endOfIntegers(Random& random, DType dtype) {
    const std::int64_t least = leastOf(dtype), most = mostOf(dtype);
    switch (random.below(7)) {
    case 0:
        return least;
    case 1:
        return most;
    case 2:
        return wrapTo(dtype, least + random.between(0, 2));
    case 3:
        return wrapTo(
            dtype, static_cast<std::int64_t>(static_cast<std::uint64_t>(most) - random.below(3)));
    case 4: {
        const int powers[] = {7, 8, 15, 16, 24, 31, 32, 53};
        const std::int64_t near =
            (std::int64_t(1) << powers[random.below(std::size(powers))]) + random.between(-1, 1);
        return wrapTo(dtype, random.chance(50) ? near : -near);
    }
    case 5:
        return wrapTo(dtype, random.between(-100, 100));
    default:
        return wrapTo(dtype, random.between(-3, 3));
    }
}

double endOfReals(Random& random, DType dtype, bool large) {
    static const std::vector<double> ends = {65504,
                                             65520,
                                             300,
                                             1e5,
                                             3e9,
                                             5e18,
                                             2e19,
                                             1e20,
                                             3e38,
                                             1e-3,
                                             1e-5,
                                             1e-20,
                                             1e-38,
                                             0.5,
                                             1.5,
                                             2.5,
                                             16777217,
                                             2147483648,
                                             1 + 0x1p-9,
                                             1 + 0x1p-12,
                                             1 + 0x1p-11 + 0x1p-26,
                                             1 + 0x1p-8 + 0x1p-26,
                                             1e300,
                                             1e-300};
    const auto fits = [&](double value) {
        return std::isfinite(roundTo(realValue(value), dtype).real);
    };
    const double largest = dtype == DType::F16   ? 65504
                           : dtype == DType::F64 ? std::numeric_limits<double>::max()
                                                 : 3.38e38; // of bf16 and f32
    double value = 0;
    switch (large ? 3 : random.below(5)) {
    case 3:
        value = largest * (0.5 + random.unit() / 2);
        break;
    case 0:
        value = 200 * random.unit() - 100;
        break;
    case 1:
        value = static_cast<double>(random.between(-200, 200)) / 2;
        break;
    case 2:
        value = std::ldexp(1 + random.unit(), static_cast<int>(random.between(-30, 30)));
        break;
    default:
        value = random.pick(ends);
        break;
    }
    if (random.chance(50))
        value = -value;
    return fits(value) ? value : random.chance(50) ? 60000 : -60000;
}

// Of a tensor: by how many powers of two its values lie below 1.
int powersBelow(Random& random, DType dtype) {
    const int normal = -static_cast<int>(std::log2(leastNormal(dtype)));
    switch (random.below(4)) {
    case 0:
        return normal / 2 + 1; // squares are not normal
    case 1:
        return normal * 2 / 3; // squares are 0
    case 2:
        return normal;
    default:
        return normal + 6;
    }
}

// Half of them in one tensor of three: next to a literal, or to a tie.
template <class T, class Make>
void replaceSome(std::vector<T>& values, Random& random, const Literals& literals, DrawnValues how,
                 Make make) {
    const bool numbers = !literals.reals.empty(), ties = !literals.types.empty();
    if ((how != DrawnValues::Any && how != DrawnValues::Ends) || (!numbers && !ties) ||
        !random.chance(35))
        return;
    for (T& value : values)
        if (random.chance(50))
            if (const auto other = make(ties && (!numbers || random.chance(50))))
                value = *other;
}

} // namespace

double specialReal(Random& random) {
    static const std::vector<double> special = {2,    0.5, 0,  1,    -1,  -2, -0.5,
                                                0.25, 3,   -3, 0.75, 1.5, 4,  100};
    return random.chance(40) ? special[random.below(2)] : random.pick(special);
}

double drawnReal(Random& random) {
    switch (random.below(6)) {
    case 0:
    case 1:
        return std::round(random.unit() * 64) / 64;
    case 2:
        return -std::round(random.unit() * 64) / 32;
    case 3:
        return static_cast<double>(random.between(-64, 64)) / 2;
    case 4:
        return random.chance(50) ? 1e-3 : -1e-3;
    default:
        return specialReal(random);
    }
}

TensorData drawnData(Random& random, const Literals& literals, const TensorType& type,
                     DrawnValues how) {
    const Extents box(type.shape);
    const DType dtype = type.dtype;
    constexpr std::size_t forms = 8;
    const std::size_t form = how == DrawnValues::Any ? random.below(forms) : 0;
    if (dtype == DType::Bool || !isFloat(dtype)) {
        const bool ends = how == DrawnValues::Ends || how == DrawnValues::Largest ||
                          how == DrawnValues::Smallest || (form == 7 && random.chance(60));
        std::vector<std::int64_t> values(box.count);
        for (std::int64_t& value : values)
            value = dtype == DType::Bool ? static_cast<std::int64_t>(random.below(2))
                    : ends               ? endOfIntegers(random, dtype)
                    : form == 6          ? random.between(leastOf(dtype) < 0 ? -20 : 0, 20)
                                : random.between(form == 1 || leastOf(dtype) == 0 ? 0 : -3, 3);
        if (form == 5)
            std::fill(values.begin(), values.end(), values.empty() ? 0 : values.front());
        if (how == DrawnValues::Any && dtype != DType::Bool && random.chance(40))
            if (const auto literal = besideLiteral(random, literals, dtype))
                std::fill(values.begin(), values.end(), *literal);
        if (isInteger(dtype))
            replaceSome(values, random, literals, how, [&](bool tie) {
                return tie ? besideTie(random, literals, dtype)
                           : besideLiteral(random, literals, dtype);
            });
        return dataFromIntegers(dtype, box.extents, values);
    }
    const int below = how == DrawnValues::Smallest ? powersBelow(random, dtype) : 0;
    const auto number = [&]() -> double {
        if (how == DrawnValues::Smallest)
            return std::ldexp(random.chance(50) ? 1 + random.unit() : -1 - random.unit(), -below);
        if (how == DrawnValues::Ends || how == DrawnValues::Largest)
            return endOfReals(random, dtype, how == DrawnValues::Largest);
        switch (form) {
        case 0:
            return static_cast<double>(random.between(-3, 3));
        case 1:
        case 2:
            return 0.25 + 2 * random.unit();
        case 6:
            return static_cast<double>(random.between(-9, 9)) / 2;
        case 7:
            return specialReal(random);
        default:
            return form == 3 && random.chance(20) ? 0 : 4 * random.unit() - 2;
        }
    };
    double all = number();
    if (how == DrawnValues::Any && !literals.reals.empty() && random.chance(40))
        all = random.pick(literals.reals);
    std::vector<double> values(box.count);
    for (double& value : values)
        value = form == 5 ? all : number();
    replaceSome(values, random, literals, how, [&](bool tie) {
        return tie ? besideTieReal(random, literals, dtype)
                   : besideLiteralReal(random, literals, dtype);
    });
    return dataFromDoubles(dtype, box.extents, values);
}

namespace {

template <class Make>
TensorData replaced(const TensorData& data, Random& random, Make make) {
    std::vector<double> values = data.toDoubles();
    if (!values.empty() && random.chance(40)) // sums of several have no sign
        values[random.below(values.size())] = make();
    else
        for (double& value : values)
            if (random.chance(50))
                value = make();
    return dataFromDoubles(data.dtype(), data.extents(), values);
}

} // namespace

TensorData withNaN(const TensorData& data, Random& random) {
    return replaced(data, random, [] { return std::numeric_limits<double>::quiet_NaN(); });
}

TensorData withInfinities(const TensorData& data, Random& random) {
    return replaced(data, random, [&] {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        return random.chance(50) ? infinite : -infinite;
    });
}

} // namespace fw
