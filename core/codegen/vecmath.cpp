// f32 math functions and the parts that both precisions share. Sources of the polynomials: exp and
// the rational erf are least-squares fits with weights that end at the last bit of f32, the
// rational tanh is made by tests/codegen/fit_tanh.py; log is Cephes'.
#include "codegen/vecmath.h"

#include "codegen/vecmath_builder.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <cmath>
#include <limits>
#include <optional>

namespace fw::codegen {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

constexpr double log2OfE = 1.44269504088896341;

// Beyond [-104, 89] exp is 0 or infinite anyway, and 2^n is representable in two steps.
llvm::Value* exp32(MathBuilder& m, llvm::Value* x) {
    llvm::Value* z = m.clamp(x, -104.0, 89.0);
    const MathBuilder::Nearest e = m.nearestMultiple(z, log2OfE, 2 * m.exponentBias());
    llvm::Value* r = m.fma(e.n, m.real(-0.693359375), z);
    r = m.fma(e.n, m.real(2.12194440e-4), r);
    llvm::Value* p =
        m.polynomial(r, {1.0, 1.0, 0.5, 0.16666577, 0.04166655, 0.00836323, 0.00139263});
    return m.timesPowerOfTwo(p, e);
}

// 1 / (1 + exp(-x)) as scale / (scale + scale * exp(-x)): with this scale exp is a normal number
// wherever it counts, so one product applies the exponent, and both tails keep their bits.
llvm::Value* sigmoid32(MathBuilder& m, llvm::Value* x) {
    constexpr int scale = -32;
    llvm::Value* z = m.clamp(x, -104.0, 60.0);
    const MathBuilder::Nearest e = m.nearestMultiple(z, -log2OfE, m.exponentBias() + scale);
    llvm::Value* r = m.fma(e.n, m.real(0.693359375), z); // of -x, so the odd terms change sign
    r = m.fma(e.n, m.real(-2.12194440e-4), r);
    llvm::Value* p =
        m.polynomial(r, {1.0, -1.0, 0.5, -0.16666577, 0.04166655, -0.00836323, 0.00139263});
    llvm::Value* unit = m.real(std::ldexp(1.0, scale));
    return m.div(unit, m.fma(p, m.powerOfTwo(e), unit));
}

llvm::Value* log32(MathBuilder& m, llvm::Value* x) {
    auto [f, e] = m.splitForLog(x);
    llvm::Value* z = m.mul(f, f);
    llvm::Value* p = m.polynomial(f, {3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1,
                                      -1.6668057665e-1, 1.4249322787e-1, -1.2420140846e-1,
                                      1.1676998740e-1, -1.1514610310e-1, 7.0376836292e-2});
    llvm::Value* y = m.mul(m.mul(f, z), p);
    y = m.fma(e, m.real(-2.12194440e-4), y);
    y = m.fma(z, m.real(-0.5), y);
    y = m.add(f, y);
    y = m.fma(e, m.real(0.693359375), y);
    return m.logSpecials(x, y);
}

// z * p(z^2) / q(z^2) of a function that is odd and at most 1, for z = min(|x|, end), with the sign
// of x.
llvm::Value* oddRational(MathBuilder& m, llvm::Value* x, double end,
                         std::initializer_list<double> p, std::initializer_list<double> q) {
    llvm::Value* bits = m.builder.CreateBitCast(x, m.integerType());
    llvm::Value* sign = m.builder.CreateAnd(bits, m.integer(std::int64_t(1) << 31));
    llvm::Value* z = m.atMost(m.abs(x), end);
    llvm::Value* s = m.mul(z, z);
    llvm::Value* y = m.div(m.mul(z, m.polynomial(s, p)), m.polynomial(s, q));
    llvm::Value* size = m.builder.CreateBitCast(m.atMost(y, 1.0), m.integerType());
    return m.builder.CreateBitCast(m.builder.CreateOr(size, sign), m.type);
}

// Both constant terms are 1, so a small x is its own result. At the end the quotient is above 1,
// whatever is rounded, so what lies beyond becomes 1.
llvm::Value* tanh32(MathBuilder& m, llvm::Value* x) {
    return oddRational(m, x, 9.4, {1.0, 1.3237828729e-01, 3.3137134895e-03, 1.6704080298e-05},
                       {1.0, 4.6571145414e-01, 2.5217816504e-02, 2.9583601411e-04, 4.7840634318e-07,
                        -2.6373751720e-10});
}

// As above; a constant term of 1 below keeps the bits of subnormal numbers.
llvm::Value* erf32(MathBuilder& m, llvm::Value* x) {
    return oddRational(
        m, x, 4.2,
        {1.1283790939e+00, 2.0712610290e-01, 5.1524996544e-02, 3.9906137603e-03, 1.4728793939e-04,
         -1.9423288537e-06, 1.9111055927e-08},
        {1.0, 5.1689197683e-01, 1.1797110121e-01, 1.4958146413e-02, 1.0211243118e-03});
}

// pow in f64 with the special cases of C: x < 0 needs an integer y, 0 and infinities follow from
// log and exp.
llvm::Value* powF64(MathBuilder& m, llvm::Value* x, llvm::Value* y, bool forF32) {
    llvm::Value* size = m.abs(x);
    llvm::Value* result = forF32 ? exp64(m, m.mul(y, log64(m, size))) : powOfSize64(m, size, y);
    llvm::Value* half = m.mul(y, m.real(0.5));
    llvm::Value* isInteger = m.equal(m.unary(llvm::Intrinsic::floor, y), y);
    llvm::Value* isOdd = m.both(isInteger, m.differ(m.unary(llvm::Intrinsic::floor, half), half));
    llvm::Value* isNegative = m.signBit(x);
    result = m.select(m.both(isNegative, isOdd), m.negate(result), result);
    llvm::Value* belowZero = m.less(x, m.real(0));
    llvm::Value* refused =
        m.both(m.both(belowZero, m.less(size, m.real(infinity))), m.negated(isInteger));
    result = m.select(refused, m.real(notANumber), result);
    // |x| = 1 with an infinite y would be 0 * inf above.
    llvm::Value* isOne = m.both(m.equal(size, m.real(1)), m.equal(m.abs(y), m.real(infinity)));
    result = m.select(isOne, m.real(1), result);
    llvm::Value* always = m.either(m.equal(y, m.real(0)), m.equal(x, m.real(1)));
    return m.select(always, m.real(1), result);
}

// The constant exponent, if it is one whose power is a few products and square roots: a multiple of
// 1/4 up to 4. That is faster than exp and log, and as exact.
std::optional<int> quarters(llvm::Value* exponent) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(exponent);
    if (constant != nullptr && constant->getType()->isVectorTy())
        constant = constant->getSplatValue();
    const auto* real = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
    if (real == nullptr)
        return {};
    const llvm::APFloat& value = real->getValueAPF();
    const double y = value.isFinite() ? value.convertToDouble() * 4 : infinity;
    if (!(std::abs(y) <= 16) || y != std::floor(y) || y == 0)
        return {};
    return static_cast<int>(y);
}

llvm::Value* powOfQuarters(MathBuilder& m, llvm::Value* x, int quarters) {
    const int count = std::abs(quarters), whole = count / 4, rest = count % 4;
    llvm::Value* base = x;
    if (rest != 0) // pow(-inf, 0.5) is inf and pow(-0, 0.5) is 0, unlike sqrt
        base = m.add(m.select(m.equal(x, m.real(-infinity)), m.real(infinity), x), m.real(0));
    llvm::Value* result = nullptr;
    const auto times = [&](llvm::Value* factor) {
        result = result == nullptr ? factor : m.mul(result, factor);
    };
    if (rest != 0) {
        llvm::Value* root = m.unary(llvm::Intrinsic::sqrt, base);
        if (rest >= 2)
            times(root);
        if (rest != 2)
            times(m.unary(llvm::Intrinsic::sqrt, root));
    }
    llvm::Value* square = whole >= 2 ? m.mul(base, base) : nullptr;
    if (whole >= 2)
        times(square);
    if (whole == 4)
        times(square);
    if (whole % 2 == 1)
        times(base);
    return quarters < 0 ? m.div(m.real(1), result) : result;
}

llvm::Value* inDouble(MathBuilder& m, MathFn fn, llvm::Value* a, llvm::Value* b) {
    llvm::Type* wide = m.sameShape(m.builder.getDoubleTy());
    llvm::Value* x = m.builder.CreateFPExt(a, wide);
    MathBuilder d(m.builder, m.target, x);
    llvm::Value* result = nullptr;
    if (fn == MathFn::Pow)
        result = powF64(d, x, m.builder.CreateFPExt(b, wide), true);
    else
        result = fn == MathFn::Sin ? sin64(d, x) : cos64(d, x);
    return m.builder.CreateFPTrunc(result, a->getType());
}

} // namespace

llvm::Value* emitFma(llvm::IRBuilderBase& builder, const Target& target, llvm::Value* a,
                     llvm::Value* b, llvm::Value* c) {
    if (!target.hasFma())
        return builder.CreateFAdd(builder.CreateFMul(a, b), c);
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

llvm::Value* emitMath(llvm::IRBuilderBase& builder, const Target& target, MathFn fn, llvm::Value* a,
                      llvm::Value* b) {
    MathBuilder m(builder, target, a);
    const bool wide = m.isF64;
    switch (fn) {
    case MathFn::Exp:
        return wide ? exp64(m, a) : exp32(m, a);
    case MathFn::Log:
        return wide ? log64(m, a) : log32(m, a);
    case MathFn::Sqrt:
        return m.unary(llvm::Intrinsic::sqrt, a);
    case MathFn::Rsqrt:
        return m.div(m.real(1), m.unary(llvm::Intrinsic::sqrt, a));
    case MathFn::Tanh:
        return wide ? tanh64(m, a) : tanh32(m, a);
    case MathFn::Erf:
        return wide ? erf64(m, a) : erf32(m, a);
    case MathFn::Sigmoid:
        return wide ? sigmoid64(m, a) : sigmoid32(m, a);
    case MathFn::Abs:
        return m.abs(a);
    case MathFn::Floor:
        return m.unary(llvm::Intrinsic::floor, a);
    case MathFn::Ceil:
        return m.unary(llvm::Intrinsic::ceil, a);
    case MathFn::Round:
        return m.unary(llvm::Intrinsic::roundeven, a);
    case MathFn::Sign:
        return m.select(m.less(m.real(0), a), m.real(1),
                        m.select(m.less(a, m.real(0)), m.real(-1),
                                 m.add(a, m.real(0)))); // of zeros +0, what is no number stays
    case MathFn::Sin:
        return wide ? sin64(m, a) : inDouble(m, fn, a, nullptr);
    case MathFn::Cos:
        return wide ? cos64(m, a) : inDouble(m, fn, a, nullptr);
    case MathFn::Pow:
        if (const auto exponent = quarters(b))
            return powOfQuarters(m, a, *exponent);
        return wide ? powF64(m, a, b, false) : inDouble(m, fn, a, b);
    case MathFn::BitAnd:
    case MathFn::BitOr:
    case MathFn::BitXor:
    case MathFn::BitNot:
        break; // of integers only
    }
    return a;
}

} // namespace fw::codegen
