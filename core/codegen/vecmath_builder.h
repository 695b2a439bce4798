// MathBuilder: the arithmetic of vecmath in short words, for f32 or f64, scalar or vector alike.
#pragma once

#include "target/target.h"

#include <initializer_list>
#include <utility>

namespace llvm {
class IRBuilderBase;
class Type;
class Value;
} // namespace llvm

namespace fw::codegen {

class MathBuilder {
public:
    // Values have the type of `like`.
    MathBuilder(llvm::IRBuilderBase& irBuilder, const Target& forTarget, const llvm::Value* like);

    llvm::Value* real(double value) const;
    llvm::Value* integer(std::int64_t value) const;   // as wide as the floats
    llvm::Type* sameShape(llvm::Type* element) const; // a scalar or as many lanes
    llvm::Type* integerType() const;

    llvm::Value* add(llvm::Value* a, llvm::Value* b) const;
    llvm::Value* sub(llvm::Value* a, llvm::Value* b) const;
    llvm::Value* mul(llvm::Value* a, llvm::Value* b) const;
    llvm::Value* div(llvm::Value* a, llvm::Value* b) const;
    llvm::Value* fma(llvm::Value* a, llvm::Value* b,
                     llvm::Value* c) const; // two roundings without FMA
    llvm::Value* negate(llvm::Value* a) const;
    llvm::Value* abs(llvm::Value* a) const;
    llvm::Value* round(llvm::Value* a) const; // half to even
    llvm::Value* unary(unsigned intrinsic, llvm::Value* a) const;
    llvm::Value* select(llvm::Value* condition, llvm::Value* a, llvm::Value* b) const;
    llvm::Value* less(llvm::Value* a, llvm::Value* b) const;   // false for NaN
    llvm::Value* equal(llvm::Value* a, llvm::Value* b) const;  // false for NaN
    llvm::Value* differ(llvm::Value* a, llvm::Value* b) const; // true for NaN
    llvm::Value* both(llvm::Value* a, llvm::Value* b) const;
    llvm::Value* either(llvm::Value* a, llvm::Value* b) const;
    llvm::Value* negated(llvm::Value* condition) const;
    llvm::Value* signBit(llvm::Value* a) const;
    llvm::Value* atMost(llvm::Value* a, double high) const;            // keeps NaN
    llvm::Value* clamp(llvm::Value* a, double low, double high) const; // keeps NaN

    // Horner, lowest coefficient first.
    llvm::Value* polynomial(llvm::Value* x, std::initializer_list<double> coefficients) const;

    // The integer n nearest to x * factor, below 1200 in size, in two instructions and without a
    // conversion, which has no vector form before AVX-512: a sum so large that its last bit is 1.
    struct Nearest {
        llvm::Value* n;   // as a float
        llvm::Value* sum; // n + offset in its last bits
    };
    Nearest nearestMultiple(llvm::Value* x, double factor, int offset) const;
    // 2^(n + k) for an offset of exponentBias() + k; exact, the exponent must be that of a normal
    // number.
    llvm::Value* powerOfTwo(const Nearest& nearest) const;
    // p * 2^n for an offset of 2 * exponentBias(), right at subnormals and overflow.
    llvm::Value* timesPowerOfTwo(llvm::Value* p, const Nearest& nearest) const;
    int exponentBias() const { return isF64 ? 1023 : 127; }

    // x = (1 + f) * 2^e with 1 + f in [sqrt(1/2), sqrt(2)); then log(x) = log(1 + f) + e * log(2).
    std::pair<llvm::Value*, llvm::Value*> splitForLog(llvm::Value* x) const;
    llvm::Value* logSpecials(llvm::Value* x,
                             llvm::Value* result) const; // 0, negative, infinite, NaN

    llvm::IRBuilderBase& builder;
    const Target& target;
    llvm::Type* type;
    bool isF64;
};

// A `low` part is added to x behind the reduction, where its bits count.
llvm::Value* exp64(MathBuilder& m, llvm::Value* x, llvm::Value* low = nullptr);
// |x| to the power of y for x that are not 0 and finite; others by exp and log.
llvm::Value* powOfSize64(MathBuilder& m, llvm::Value* size, llvm::Value* y);
llvm::Value* sigmoid64(MathBuilder& m, llvm::Value* x);
llvm::Value* log64(MathBuilder& m, llvm::Value* x);
llvm::Value* tanh64(MathBuilder& m, llvm::Value* x);
llvm::Value* erf64(MathBuilder& m, llvm::Value* x);
llvm::Value* sin64(MathBuilder& m, llvm::Value* x);
llvm::Value* cos64(MathBuilder& m, llvm::Value* x);

} // namespace fw::codegen
