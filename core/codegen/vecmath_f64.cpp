// f64 math functions. exp, sin and cos are Taylor sums long enough for the reduced range, log is
// fdlibm's, tanh a continued fraction near 0, erf two Chebyshev fits made with
// tests/codegen/fit_erf.py.
#include "codegen/vecmath_builder.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <limits>

namespace fw::codegen {

llvm::Value* exp64(MathBuilder& m, llvm::Value* x, llvm::Value* low) {
    llvm::Value* z = m.clamp(x, -746.0, 710.0);
    const MathBuilder::Nearest e = m.nearestMultiple(z, 1.44269504088896341, 2 * m.exponentBias());
    llvm::Value* r = m.fma(e.n, m.real(-6.93147180369123816490e-01), z);
    r = m.fma(e.n, m.real(-1.90821492927058770002e-10), r);
    if (low != nullptr)
        r = m.add(r, low);
    llvm::Value* p = m.polynomial(r, {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720,
                                      1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800,
                                      1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0});
    return m.timesPowerOfTwo(p, e);
}

// exp(-|x|) never overflows, so both tails keep their bits.
llvm::Value* sigmoid64(MathBuilder& m, llvm::Value* x) {
    llvm::Value* e = exp64(m, m.negate(m.abs(x)));
    return m.div(m.select(m.less(x, m.real(0)), e, m.real(1)), m.add(e, m.real(1)));
}

llvm::Value* log64(MathBuilder& m, llvm::Value* x) {
    auto [f, k] = m.splitForLog(x);
    llvm::Value* s = m.div(f, m.add(f, m.real(2)));
    llvm::Value* z = m.mul(s, s);
    llvm::Value* r = m.mul(z, m.polynomial(z, {6.666666666666735130e-01, 3.999999999940941908e-01,
                                               2.857142874366239149e-01, 2.222219843214978396e-01,
                                               1.818357216161805012e-01, 1.531383769920937332e-01,
                                               1.479819860511658591e-01}));
    llvm::Value* halfSquare = m.mul(m.mul(f, f), m.real(0.5));
    llvm::Value* low = m.fma(s, m.add(halfSquare, r), m.mul(k, m.real(1.90821492927058770002e-10)));
    llvm::Value* y = m.sub(m.sub(halfSquare, low), f);
    y = m.sub(m.mul(k, m.real(6.93147180369123816490e-01)), y);
    return m.logSpecials(x, y);
}

namespace {

// What a product of doubles loses: with FMA at once, else by products of halves (T. J. Dekker,
// 1971), which overflow where a factor is above 2^996.
llvm::Value* lostBy(MathBuilder& m, llvm::Value* a, llvm::Value* b, llvm::Value* product) {
    if (m.target.hasFma())
        return m.fma(a, b, m.negate(product));
    const auto halves = [&](llvm::Value* v) {
        llvm::Value* scaled = m.mul(v, m.real(134217729.0)); // 2^27 + 1
        llvm::Value* high = m.sub(scaled, m.sub(scaled, v));
        return std::pair(high, m.sub(v, high));
    };
    const auto [aHigh, aLow] = halves(a);
    const auto [bHigh, bLow] = halves(b);
    llvm::Value* lost = m.sub(m.mul(aHigh, bHigh), product);
    lost = m.add(m.add(lost, m.mul(aHigh, bLow)), m.mul(aLow, bHigh));
    return m.add(lost, m.mul(aLow, bLow));
}

} // namespace

// exp(y log(size)), where the logarithm and its product with y are sums of two doubles: an error of
// the product is one of the result, in units that grow with it.
llvm::Value* powOfSize64(MathBuilder& m, llvm::Value* size, llvm::Value* y) {
    auto [f, k] = m.splitForLog(size);
    // s = f / (2 + f) and what is lost of it and of the divisor.
    llvm::Value* divisor = m.add(f, m.real(2));
    llvm::Value* divisorLow = m.sub(f, m.sub(divisor, m.real(2)));
    llvm::Value* s = m.div(f, divisor);
    llvm::Value* product = m.mul(s, divisor);
    llvm::Value* rest = m.sub(m.sub(f, product), lostBy(m, s, divisor, product));
    llvm::Value* sLow = m.div(m.sub(rest, m.mul(s, divisorLow)), divisor);
    // log(1 + f) = 2 (s + s^3 / 3 + s^5 / 5 + ...): what two terms lose counts, of the others
    // nothing.
    llvm::Value* z = m.mul(s, s);
    llvm::Value* zLow = m.add(lostBy(m, s, s, z), m.mul(m.add(s, s), sLow));
    llvm::Value* cube = m.mul(s, z);
    llvm::Value* cubeLow = m.add(lostBy(m, s, z, cube), m.add(m.mul(s, zLow), m.mul(sLow, z)));
    llvm::Value* twoThirds = m.real(2.0 / 3);
    llvm::Value* third = m.mul(cube, twoThirds);
    llvm::Value* thirdLow =
        m.add(lostBy(m, cube, twoThirds, third),
              m.add(m.mul(cube, m.real(3.700743415417188e-17)), m.mul(cubeLow, twoThirds)));
    llvm::Value* tail =
        m.mul(m.mul(cube, z),
              m.polynomial(z, {2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17,
                               2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25, 2.0 / 27}));
    // k log(2) has few enough bits to be exact, and is 0 or larger than 2 s.
    llvm::Value* whole = m.mul(k, m.real(6.93147180369123816490e-01));
    llvm::Value* twice = m.add(s, s);
    llvm::Value* first = m.add(whole, twice);
    llvm::Value* sum = m.add(first, third);
    llvm::Value* low = m.add(m.sub(twice, m.sub(first, whole)), m.sub(third, m.sub(sum, first)));
    low = m.add(low, m.add(m.add(m.add(sLow, sLow), thirdLow),
                           m.add(tail, m.mul(k, m.real(1.90821492927058770002e-10)))));
    llvm::Value* logarithm = m.add(sum, low);
    low = m.sub(low, m.sub(logarithm, sum));
    logarithm = m.logSpecials(size, logarithm);
    llvm::Value* x = m.mul(y, logarithm);
    llvm::Value* xLow = m.add(lostBy(m, y, logarithm, x), m.mul(y, low));
    constexpr double beyond = 800; // 0 or infinite
    return exp64(m, x, m.select(m.less(m.abs(x), m.real(beyond)), xLow, m.real(0)));
}

llvm::Value* tanh64(MathBuilder& m, llvm::Value* x) {
    llvm::Value* s = m.mul(x, x);
    llvm::Value* top = m.mul(x, m.polynomial(s, {135135.0, 17325.0, 378.0, 1.0}));
    llvm::Value* near = m.div(top, m.polynomial(s, {135135.0, 62370.0, 3150.0, 28.0}));
    llvm::Value* size = m.abs(x);
    llvm::Value* e = exp64(m, m.add(size, size));
    llvm::Value* far = m.sub(m.real(1), m.div(m.real(2), m.add(e, m.real(1))));
    far = m.select(m.signBit(x), m.negate(far), far);
    return m.select(m.less(size, m.real(0.35)), near, far);
}

llvm::Value* erf64(MathBuilder& m, llvm::Value* x) {
    llvm::Value* z = m.clamp(x, -6.0, 6.0);
    llvm::Value* size = m.abs(z);
    llvm::Value* s = m.mul(z, z);
    llvm::Value* near = m.mul(
        z,
        m.polynomial(s, {1.1283791670955126, -0.37612638903183754, 0.11283791670955115,
                         -0.026866170645124168, 0.00522397762531911, -0.0008548327013043244,
                         0.00012055332467972413, -1.4925634186937486e-05, 1.6461774587739342e-06,
                         -1.6360977042495506e-07, 1.4759550595044857e-08, -1.1977317626588047e-09,
                         8.094502845779061e-11, -3.346940502524376e-12}));
    llvm::Value* t = m.div(m.sub(size, m.real(3)), m.add(size, m.real(3)));
    llvm::Value* q =
        m.polynomial(t, {0.17900115118138996, -0.3262335600430369, 0.24560380171232918,
                         -0.15011593650080188, 0.07166583719790234, -0.024392499318050376,
                         0.004269136344595198, 0.0007077464443808545, -0.0005970623273641232,
                         4.5254687427494984e-05, 6.406171136733275e-05, -1.2848454012979365e-05,
                         -8.007504247646515e-06, 2.0220401585206056e-06, 1.2781513111921875e-06});
    llvm::Value* far = m.sub(m.real(1), m.mul(exp64(m, m.negate(s)), q));
    far = m.select(m.signBit(x), m.negate(far), far);
    return m.select(m.less(size, m.real(1)), near, far);
}

namespace {

// r = x - n * pi/2 with |r| <= pi/4, and n. With FMA the products are exact whatever n; without,
// the parts of pi/2 have 33 bits, exact for n below 2^20.
std::pair<llvm::Value*, llvm::Value*> reduceQuarter(MathBuilder& m, llvm::Value* x) {
    const double limit = std::ldexp(1.0, m.target.hasFma() ? 50 : 20);
    llvm::Value* fits = m.less(m.abs(x), m.real(limit));
    llvm::Value* z = m.select(fits, x, m.real(std::numeric_limits<double>::quiet_NaN()));
    llvm::Value* n = m.round(m.mul(z, m.real(0.63661977236758134308)));
    llvm::Value* r = z;
    if (m.target.hasFma())
        for (double part :
             {1.57079632679489655800e+00, 6.12323399573676603587e-17, -1.4973849048591833e-33})
            r = m.fma(n, m.real(-part), r);
    else
        for (double part : {1.57079632673412561417e+00, 6.07710050630396597660e-11,
                            2.02226624871116645580e-21, 8.47842766036889956997e-32})
            r = m.fma(n, m.real(-part), r);
    return {r, n};
}

// sin(x + quarters * pi/2)
llvm::Value* wave(MathBuilder& m, llvm::Value* x, int quarters) {
    auto [r, n] = reduceQuarter(m, x);
    llvm::Value* s = m.mul(r, r);
    llvm::Value* sine =
        m.polynomial(s, {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
                         1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0});
    sine = m.fma(m.mul(sine, s), r, r);
    llvm::Value* cosine =
        m.polynomial(s, {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
                         1.0 / 479001600, -1.0 / 87178291200.0, 1.0 / 20922789888000.0});
    llvm::Type* wide = m.integerType();
    llvm::Value* whole =
        m.builder.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {wide, m.type}, {n});
    whole = m.builder.CreateAdd(whole, m.integer(quarters));
    const auto bit = [&](std::int64_t mask) {
        return m.builder.CreateICmpNE(m.builder.CreateAnd(whole, m.integer(mask)), m.integer(0));
    };
    // The reduction makes +0 of -0.
    sine = m.select(m.equal(x, m.real(0)), x, sine);
    llvm::Value* result = m.select(bit(1), cosine, sine);
    return m.select(bit(2), m.negate(result), result);
}

} // namespace

llvm::Value* sin64(MathBuilder& m, llvm::Value* x) {
    return wave(m, x, 0);
}

llvm::Value* cos64(MathBuilder& m, llvm::Value* x) {
    return wave(m, x, 1);
}

} // namespace fw::codegen
