#include "expr/scalar.h"

#include "base/numbers.h"

#include <bit>
#include <cmath>

namespace fw {

namespace {

struct Limits {
    std::int64_t least, most;
};

Limits limitsOf(DType dtype) {
    switch (dtype) {
    case DType::Bool:
        return {0, 1};
    case DType::I8:
        return {INT8_MIN, INT8_MAX};
    case DType::U8:
        return {0, UINT8_MAX};
    case DType::I16:
        return {INT16_MIN, INT16_MAX};
    case DType::U16:
        return {0, UINT16_MAX};
    case DType::I32:
        return {INT32_MIN, INT32_MAX};
    case DType::U32:
        return {0, UINT32_MAX};
    case DType::U64:
        return {0, -1};
    case DType::I64:
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64:
    case DType::Text:
        break;
    }
    return {INT64_MIN, INT64_MAX};
}

std::uint64_t bits(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

std::int64_t quotient(ExprOp op, DType dtype, std::int64_t a, std::int64_t b) {
    const bool wantsRest = op == ExprOp::Mod;
    if (b == 0)
        return 0;
    if (dtype == DType::U64)
        return static_cast<std::int64_t>(wantsRest ? bits(a) % bits(b) : bits(a) / bits(b));
    if (b == -1) // the machine's own division would trap on the least value
        return wantsRest ? 0 : static_cast<std::int64_t>(-bits(a));
    if (wantsRest)
        return floorMod(a, b);
    return op == ExprOp::Div ? a / b : floorDiv(a, b);
}

bool isLess(DType dtype, std::int64_t a, std::int64_t b) {
    return dtype == DType::U64 ? bits(a) < bits(b) : a < b;
}

// The binary formats of two bytes: a sign, an exponent, a fraction.
struct NarrowFormat {
    int fraction; // bits
    int bias;     // of the exponent
};

NarrowFormat narrowFormat(DType dtype) {
    return dtype == DType::F16 ? NarrowFormat{10, 15} : NarrowFormat{7, 127};
}

constexpr int wideFraction = 52, wideBias = 1023; // of a double
constexpr std::uint64_t wideOne = std::uint64_t(1) << wideFraction;
constexpr std::uint64_t wideInfinity = std::uint64_t(0x7ff) << wideFraction;

// value / 2^shift to the nearest, halves to even.
std::uint64_t shiftedToNearest(std::uint64_t value, int shift) {
    const std::uint64_t odd = (value >> shift) & 1;
    return (value + (std::uint64_t(1) << (shift - 1)) - 1 + odd) >> shift;
}

// A magnitude as a double that no format with less bits tells from it: where it has too many, the
// last bit says whether any behind it is set.
double stickyReal(std::uint64_t magnitude) {
    constexpr std::uint64_t cut = (std::uint64_t(1) << 11) - 1;
    if (magnitude >> 53 != 0)
        magnitude = (magnitude & ~cut) | ((magnitude & cut) != 0 ? cut + 1 : 0);
    return static_cast<double>(magnitude);
}

} // namespace

std::int64_t wrapTo(DType dtype, std::int64_t value) {
    switch (dtype) {
    case DType::Bool:
        return value != 0;
    case DType::I8:
        return static_cast<std::int8_t>(value);
    case DType::U8:
        return static_cast<std::uint8_t>(value);
    case DType::I16:
        return static_cast<std::int16_t>(value);
    case DType::U16:
        return static_cast<std::uint16_t>(value);
    case DType::I32:
        return static_cast<std::int32_t>(value);
    case DType::U32:
        return static_cast<std::uint32_t>(value);
    case DType::I64:
    case DType::U64:
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64:
    case DType::Text:
        break;
    }
    return value;
}

std::int64_t saturateTo(DType dtype, double value) {
    if (dtype == DType::Bool)
        return value == 0 ? 0 : 1;
    if (std::isnan(value))
        return 0;
    const Limits limits = limitsOf(dtype);
    if (dtype == DType::U64) {
        if (value <= 0)
            return 0;
        return value >= std::ldexp(1.0, 64)
                   ? limits.most
                   : static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
    }
    if (value <= static_cast<double>(limits.least))
        return limits.least;
    if (value >= static_cast<double>(limits.most))
        return limits.most;
    return static_cast<std::int64_t>(value);
}

double realOf(DType from, std::int64_t value, DType to) {
    const bool isNegative = from != DType::U64 && value < 0;
    if (to == DType::F64)
        return from == DType::U64 ? static_cast<double>(bits(value)) : static_cast<double>(value);
    const double real = stickyReal(isNegative ? -bits(value) : bits(value));
    return roundReal(to, isNegative ? -real : real);
}

double roundReal(DType dtype, double value) {
    if (dtype == DType::F32)
        return static_cast<double>(static_cast<float>(value));
    if (dtype == DType::F16 || dtype == DType::BF16)
        return narrowValue(dtype, narrowBits(dtype, value));
    return value;
}

std::uint16_t narrowBits(DType dtype, double value) {
    const NarrowFormat format = narrowFormat(dtype);
    const auto wide = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint16_t>(wide >> 48 & 0x8000);
    const std::uint64_t size = wide & ~(std::uint64_t(1) << 63);
    const auto infinity = static_cast<std::uint16_t>(0x7fff >> format.fraction << format.fraction);
    const int cut = wideFraction - format.fraction;
    if (size > wideInfinity) {
        const auto quiet = static_cast<std::uint16_t>(1 << (format.fraction - 1));
        const auto payload = static_cast<std::uint16_t>((size & (wideOne - 1)) >> cut);
        return sign | infinity | quiet | payload;
    }
    const int exponent = static_cast<int>(size >> wideFraction) - wideBias + format.bias;
    std::uint64_t out = 0;
    if (exponent > 0) { // a carry out of the fraction leads to the next exponent, or to infinity
        const auto rebias = static_cast<std::uint64_t>(wideBias - format.bias) << wideFraction;
        out = shiftedToNearest(size - rebias, cut);
    } else if (const int shift = cut + 1 - exponent; shift <= wideFraction + 1) {
        out = shiftedToNearest((size & (wideOne - 1)) | wideOne, shift); // units of the least
    }
    return sign | static_cast<std::uint16_t>(out < infinity ? out : infinity);
}

double narrowValue(DType dtype, std::uint16_t bits) {
    const NarrowFormat format = narrowFormat(dtype);
    const std::uint64_t sign = std::uint64_t(bits & 0x8000) << 48;
    const std::uint64_t size = bits & 0x7fff;
    const int cut = wideFraction - format.fraction;
    if (size >> format.fraction == 0) // denormal: a product is exact
        return std::bit_cast<double>(
            sign | std::bit_cast<std::uint64_t>(
                       std::ldexp(static_cast<double>(size), 1 - format.bias - format.fraction)));
    const bool isSpecial = size >> format.fraction == 0x7fffU >> format.fraction;
    const std::uint64_t wide =
        isSpecial
            ? wideInfinity | (size << cut)
            : (size << cut) + (static_cast<std::uint64_t>(wideBias - format.bias) << wideFraction);
    return std::bit_cast<double>(sign | wide);
}

std::int64_t leastOf(DType dtype) {
    return limitsOf(dtype).least;
}

std::int64_t mostOf(DType dtype) {
    return limitsOf(dtype).most;
}

std::int64_t applyIntegers(ExprOp op, DType dtype, std::int64_t a, std::int64_t b) {
    switch (op) {
    case ExprOp::Add:
        return wrapTo(dtype, static_cast<std::int64_t>(bits(a) + bits(b)));
    case ExprOp::Sub:
        return wrapTo(dtype, static_cast<std::int64_t>(bits(a) - bits(b)));
    case ExprOp::Mul:
        return wrapTo(dtype, static_cast<std::int64_t>(bits(a) * bits(b)));
    case ExprOp::Div:
    case ExprOp::FloorDiv:
    case ExprOp::Mod:
        return wrapTo(dtype, quotient(op, dtype, a, b));
    case ExprOp::Min:
        return isLess(dtype, b, a) ? b : a;
    case ExprOp::Max:
        return isLess(dtype, a, b) ? b : a;
    case ExprOp::Eq:
        return a == b;
    case ExprOp::Ne:
        return a != b;
    case ExprOp::Lt:
        return isLess(dtype, a, b);
    case ExprOp::Le:
        return !isLess(dtype, b, a);
    case ExprOp::And:
        return a != 0 && b != 0;
    case ExprOp::Or:
        return a != 0 || b != 0;
    case ExprOp::Int:
    case ExprOp::Float:
    case ExprOp::Var:
    case ExprOp::Neg:
    case ExprOp::Fma:
    case ExprOp::Not:
    case ExprOp::Select:
    case ExprOp::Cast:
    case ExprOp::Load:
    case ExprOp::Pad:
    case ExprOp::Call:
        break;
    }
    return 0;
}

std::int64_t applyIntegerFunction(MathFn fn, DType dtype, std::int64_t a) {
    if (fn == MathFn::Abs)
        return isLess(dtype, a, 0) ? applyIntegers(ExprOp::Sub, dtype, 0, a) : a;
    return isLess(dtype, a, 0) ? -1 : a != 0;
}

Expr literalAs(const Expr& literal, DType dtype) {
    if (isFloat(dtype))
        return floatExpr(literal.isInt() ? realOf(literal.dtype(), literal->integer, DType::F64)
                                         : literal->real,
                         dtype);
    return intExpr(literal.isInt() ? literal->integer : saturateTo(dtype, literal->real), dtype);
}

} // namespace fw
