#include "expr/scalar.h"

#include "base/numbers.h"

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
    if (to == DType::F32)
        return static_cast<double>(from == DType::U64 ? static_cast<float>(bits(value))
                                                      : static_cast<float>(value));
    return from == DType::U64 ? static_cast<double>(bits(value)) : static_cast<double>(value);
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
