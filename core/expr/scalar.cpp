#include "expr/scalar.h"

#include "base/numbers.h"
#include "expr/evaluate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

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

namespace {

struct Operands {
    const Operation& operation;
    Value a, b, c;
};

// Of two values of one integer type, or truths.
class Integers : public Evaluate<Integers, std::int64_t, const Operands&> {
public:
    std::int64_t add(const Operands& at) const { return wrapped(at, x(at) + y(at)); }
    std::int64_t sub(const Operands& at) const { return wrapped(at, x(at) - y(at)); }
    std::int64_t mul(const Operands& at) const { return wrapped(at, x(at) * y(at)); }
    std::int64_t div(const Operands& at) const { return divided(at); }
    std::int64_t floorDiv(const Operands& at) const { return divided(at); }
    std::int64_t mod(const Operands& at) const { return divided(at); }
    std::int64_t min(const Operands& at) const {
        return (isLess(at, at.b, at.a) ? at.b : at.a).integer;
    }
    std::int64_t max(const Operands& at) const {
        return (isLess(at, at.a, at.b) ? at.b : at.a).integer;
    }
    std::int64_t neg(const Operands& at) const { return wrapped(at, -x(at)); }
    std::int64_t fma(const Operands& at) const {
        return wrapped(at, x(at) * y(at) + bits(at.c.integer));
    }
    std::int64_t eq(const Operands& at) const { return at.a.integer == at.b.integer; }
    std::int64_t ne(const Operands& at) const { return at.a.integer != at.b.integer; }
    std::int64_t lt(const Operands& at) const { return isLess(at, at.a, at.b); }
    std::int64_t le(const Operands& at) const { return !isLess(at, at.b, at.a); }
    std::int64_t both(const Operands& at) const { return at.a.integer != 0 && at.b.integer != 0; }
    std::int64_t either(const Operands& at) const { return at.a.integer != 0 || at.b.integer != 0; }
    std::int64_t opposite(const Operands& at) const { return at.a.integer == 0; }
    std::int64_t call(const Operands& at) { return of(at.operation.fn, at); }
    std::int64_t abs(const Operands& at) const { // the least value of a signed type stays as it is
        return isNegative(at) ? wrapped(at, -x(at)) : at.a.integer;
    }
    std::int64_t sign(const Operands& at) const { return isNegative(at) ? -1 : at.a.integer != 0; }
    std::int64_t bitAnd(const Operands& at) const { return at.a.integer & at.b.integer; }
    std::int64_t bitOr(const Operands& at) const { return at.a.integer | at.b.integer; }
    std::int64_t bitXor(const Operands& at) const { return at.a.integer ^ at.b.integer; }
    std::int64_t bitNot(const Operands& at) const { return wrapped(at, ~x(at)); }
    template <class Kind>
    std::int64_t other(Kind, const Operands&) const {
        throw InternalError("an operation without a meaning on integers");
    }

private:
    static std::uint64_t x(const Operands& at) { return bits(at.a.integer); }
    static std::uint64_t y(const Operands& at) { return bits(at.b.integer); }
    static std::int64_t wrapped(const Operands& at, std::uint64_t value) {
        return wrapTo(at.operation.from, static_cast<std::int64_t>(value));
    }
    static std::int64_t divided(const Operands& at) {
        return wrapTo(at.operation.from,
                      quotient(at.operation.op, at.operation.from, at.a.integer, at.b.integer));
    }
    static bool isLess(const Operands& at, Value a, Value b) {
        return fw::isLess(at.operation.from, a.integer, b.integer);
    }
    static bool isNegative(const Operands& at) { return isLess(at, at.a, intValue(0)); }
};

class Reals : public Evaluate<Reals, Value, const Operands&> {
public:
    Value add(const Operands& at) const { return realValue(at.a.real + at.b.real); }
    Value sub(const Operands& at) const { return realValue(at.a.real - at.b.real); }
    Value mul(const Operands& at) const { return realValue(at.a.real * at.b.real); }
    Value div(const Operands& at) const { return realValue(at.a.real / at.b.real); }
    Value floorDiv(const Operands& at) const {
        return realValue(std::floor(at.a.real / at.b.real));
    }
    Value mod(const Operands& at) const {
        return realValue(at.a.real - std::floor(at.a.real / at.b.real) * at.b.real);
    }
    Value min(const Operands& at) const {
        return realValue(isNan(at) ? nan : std::min(at.a.real, at.b.real));
    }
    Value max(const Operands& at) const {
        return realValue(isNan(at) ? nan : std::max(at.a.real, at.b.real));
    }
    Value neg(const Operands& at) const { return realValue(-at.a.real); }
    Value fma(const Operands& at) const {
        return realValue(std::fma(at.a.real, at.b.real, at.c.real));
    }
    Value eq(const Operands& at) const { return intValue(at.a.real == at.b.real); }
    Value ne(const Operands& at) const { return intValue(at.a.real != at.b.real); }
    Value lt(const Operands& at) const { return intValue(at.a.real < at.b.real); }
    Value le(const Operands& at) const { return intValue(at.a.real <= at.b.real); }
    Value call(const Operands& at) const {
        return realValue(evalMath(at.operation.fn, at.a.real, at.b.real));
    }
    Value other(ExprOp, const Operands&) const {
        throw InternalError("an operation without a meaning on floats");
    }

private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    static bool isNan(const Operands& at) { return std::isnan(at.a.real) || std::isnan(at.b.real); }
};

Value converted(Value value, DType from, DType to) {
    if (isFloat(from) && isFloat(to))
        return roundTo(value, to);
    if (isFloat(to))
        return realValue(realOf(from, value.integer, to));
    return intValue(isFloat(from) ? saturateTo(to, value.real) : wrapTo(to, value.integer));
}

} // namespace

Value sameBits(Value value, DType from, DType to) {
    const auto narrow = [](DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; };
    const std::int64_t out = narrow(from) ? narrowBits(from, value.real)
                             : from == DType::F32
                                 ? std::bit_cast<std::int32_t>(static_cast<float>(value.real))
                             : from == DType::F64 ? std::bit_cast<std::int64_t>(value.real)
                                                  : value.integer;
    if (narrow(to))
        return realValue(narrowValue(to, static_cast<std::uint16_t>(out)));
    if (to == DType::F32)
        return realValue(std::bit_cast<float>(static_cast<std::int32_t>(out)));
    return to == DType::F64 ? realValue(std::bit_cast<double>(out)) : intValue(wrapTo(to, out));
}

Value literalValue(const Expr& literal) {
    if (!isFloat(literal.dtype()))
        return intValue(literal->integer);
    return realValue(literal.isInt() ? static_cast<double>(literal->integer) : literal->real);
}

Operation operationOf(const Expr& e) {
    return {e.op(), e->fn, e.arg(0).dtype(), e.dtype()};
}

Value applyOperation(const Operation& operation, Value a, Value b, Value c) {
    if (operation.op == ExprOp::Cast)
        return converted(a, operation.from, operation.dtype);
    if (operation.op == ExprOp::BitCast)
        return sameBits(a, operation.from, operation.dtype);
    const Operands at{operation, a, b, c};
    return isFloat(operation.from) ? Reals().of(operation.op, at)
                                   : intValue(Integers().of(operation.op, at));
}

std::int64_t applyIntegers(ExprOp op, DType dtype, std::int64_t a, std::int64_t b) {
    return Integers().of(op, {{op, MathFn::Abs, dtype, dtype}, intValue(a), intValue(b), {}});
}

bool overflows(const Operation& operation, std::int64_t a, std::int64_t b) {
    const ExprOp op = operation.op;
    if (operation.from == DType::U64) {
        std::uint64_t out = 0;
        return op == ExprOp::Add   ? __builtin_add_overflow(bits(a), bits(b), &out)
               : op == ExprOp::Sub ? __builtin_sub_overflow(bits(a), bits(b), &out)
               : op == ExprOp::Mul ? __builtin_mul_overflow(bits(a), bits(b), &out)
                                   : op == ExprOp::Neg && a != 0;
    }
    std::int64_t out = 0;
    const bool isQuotient = op == ExprOp::Div || op == ExprOp::FloorDiv;
    const bool isOpposite = op == ExprOp::Neg ||
                            (op == ExprOp::Call && operation.fn == MathFn::Abs) ||
                            (isQuotient && b == -1);
    return op == ExprOp::Add   ? __builtin_add_overflow(a, b, &out)
           : op == ExprOp::Sub ? __builtin_sub_overflow(a, b, &out)
           : op == ExprOp::Mul ? __builtin_mul_overflow(a, b, &out)
                               : isOpposite && a == INT64_MIN;
}

Value roundTo(Value value, DType dtype) {
    return isFloat(dtype) ? realValue(roundReal(dtype, value.real))
                          : intValue(wrapTo(dtype, value.integer));
}

Expr literalAs(const Expr& literal, DType dtype) {
    if (isFloat(dtype))
        return floatExpr(literal.isInt() ? realOf(literal.dtype(), literal->integer, DType::F64)
                                         : literal->real,
                         dtype);
    return intExpr(literal.isInt() ? literal->integer : saturateTo(dtype, literal->real), dtype);
}

} // namespace fw
