#include "codegen/vecmath_builder.h"

#include "codegen/vecmath.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <cmath>
#include <limits>

namespace fw::codegen {

MathBuilder::MathBuilder(llvm::IRBuilderBase& irBuilder, const Target& forTarget,
                         const llvm::Value* like)
    : builder(irBuilder), target(forTarget), type(like->getType()),
      isF64(type->getScalarType()->isDoubleTy()) {}

llvm::Value* MathBuilder::real(double value) const {
    return llvm::ConstantFP::get(type, value);
}

llvm::Type* MathBuilder::sameShape(llvm::Type* element) const {
    if (const auto* vector = llvm::dyn_cast<llvm::VectorType>(type))
        return llvm::VectorType::get(element, vector->getElementCount());
    return element;
}

llvm::Type* MathBuilder::integerType() const {
    return sameShape(builder.getIntNTy(isF64 ? 64 : 32));
}

llvm::Value* MathBuilder::integer(std::int64_t value) const {
    return llvm::ConstantInt::getSigned(integerType(), value);
}

llvm::Value* MathBuilder::add(llvm::Value* a, llvm::Value* b) const {
    return builder.CreateFAdd(a, b);
}

llvm::Value* MathBuilder::sub(llvm::Value* a, llvm::Value* b) const {
    return builder.CreateFSub(a, b);
}

llvm::Value* MathBuilder::mul(llvm::Value* a, llvm::Value* b) const {
    return builder.CreateFMul(a, b);
}

llvm::Value* MathBuilder::div(llvm::Value* a, llvm::Value* b) const {
    return builder.CreateFDiv(a, b);
}

llvm::Value* MathBuilder::fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) const {
    return emitFma(builder, target, a, b, c);
}

llvm::Value* MathBuilder::negate(llvm::Value* a) const {
    return builder.CreateFNeg(a);
}

llvm::Value* MathBuilder::unary(unsigned intrinsic, llvm::Value* a) const {
    return builder.CreateUnaryIntrinsic(static_cast<llvm::Intrinsic::ID>(intrinsic), a);
}

llvm::Value* MathBuilder::abs(llvm::Value* a) const {
    return unary(llvm::Intrinsic::fabs, a);
}

llvm::Value* MathBuilder::round(llvm::Value* a) const {
    return unary(llvm::Intrinsic::roundeven, a);
}

llvm::Value* MathBuilder::select(llvm::Value* condition, llvm::Value* a, llvm::Value* b) const {
    return builder.CreateSelect(condition, a, b);
}

llvm::Value* MathBuilder::less(llvm::Value* a, llvm::Value* b) const {
    return builder.CreateFCmpOLT(a, b);
}

llvm::Value* MathBuilder::equal(llvm::Value* a, llvm::Value* b) const {
    return builder.CreateFCmpOEQ(a, b);
}

llvm::Value* MathBuilder::differ(llvm::Value* a, llvm::Value* b) const {
    return builder.CreateFCmpUNE(a, b);
}

llvm::Value* MathBuilder::both(llvm::Value* a, llvm::Value* b) const {
    return builder.CreateAnd(a, b);
}

llvm::Value* MathBuilder::either(llvm::Value* a, llvm::Value* b) const {
    return builder.CreateOr(a, b);
}

llvm::Value* MathBuilder::negated(llvm::Value* condition) const {
    return builder.CreateNot(condition);
}

llvm::Value* MathBuilder::signBit(llvm::Value* a) const {
    return builder.CreateICmpSLT(builder.CreateBitCast(a, integerType()), integer(0));
}

llvm::Value* MathBuilder::atMost(llvm::Value* a, double high) const {
    return select(less(real(high), a), real(high), a);
}

llvm::Value* MathBuilder::clamp(llvm::Value* a, double low, double high) const {
    return atMost(select(less(a, real(low)), real(low), a), high);
}

llvm::Value* MathBuilder::polynomial(llvm::Value* x,
                                     std::initializer_list<double> coefficients) const {
    llvm::Value* sum = nullptr;
    for (const double* c = coefficients.end(); c != coefficients.begin();) {
        --c;
        sum = sum ? fma(sum, x, real(*c)) : real(*c);
    }
    return sum;
}

MathBuilder::Nearest MathBuilder::nearestMultiple(llvm::Value* x, double factor, int offset) const {
    const double large = std::ldexp(1.5, isF64 ? 52 : 23) + offset;
    llvm::Value* sum = fma(x, real(factor), real(large));
    return {sub(sum, real(large)), sum};
}

// The shift drops what lies above the exponent.
llvm::Value* MathBuilder::powerOfTwo(const Nearest& nearest) const {
    llvm::Value* bits = builder.CreateBitCast(nearest.sum, integerType());
    return builder.CreateBitCast(builder.CreateShl(bits, integer(isF64 ? 52 : 23)), type);
}

llvm::Value* MathBuilder::timesPowerOfTwo(llvm::Value* p, const Nearest& nearest) const {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    const unsigned lanes = isF64 ? 8 : 16;
    if (target.hasAvx512() && target.vectorLanesF32 == 16 && vector &&
        vector->getNumElements() == lanes) {
        llvm::Value* everyLane = builder.getIntN(lanes, (std::uint64_t(1) << lanes) - 1);
        constexpr int currentRounding = 4;
        return builder.CreateIntrinsic(
            isF64 ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_512
                  : llvm::Intrinsic::x86_avx512_mask_scalef_ps_512,
            {}, {p, nearest.n, p, everyLane, builder.getInt32(currentRounding)});
    }
    // Half of n twice: each factor is a normal number, and only the last product may round. Each
    // half has one of the two biases. Where n comes from a NaN p is NaN, and the factors may be
    // anything.
    const int mantissa = isF64 ? 52 : 23;
    llvm::Value* bits = builder.CreateBitCast(nearest.sum, integerType());
    llvm::Value* half = builder.CreateAnd(
        builder.CreateShl(bits, integer(mantissa - 1)),
        integer(isF64 ? std::int64_t(0x7ff0000000000000) : std::int64_t(0x7f800000)));
    llvm::Value* rest = builder.CreateSub(builder.CreateShl(bits, integer(mantissa)), half);
    return mul(mul(p, builder.CreateBitCast(half, type)), builder.CreateBitCast(rest, type));
}

std::pair<llvm::Value*, llvm::Value*> MathBuilder::splitForLog(llvm::Value* x) const {
    const int mantissa = isF64 ? 52 : 23;
    const double smallestNormal =
        isF64 ? std::numeric_limits<double>::min() : double(std::numeric_limits<float>::min());
    llvm::Value* isTiny = less(x, real(smallestNormal));
    llvm::Value* scaled = select(isTiny, mul(x, real(std::ldexp(1.0, mantissa))), x);
    llvm::Value* bits = builder.CreateBitCast(scaled, integerType());
    // Subtracting the bits of sqrt(1/2) puts the cut between binades there.
    const std::int64_t root = isF64 ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
    llvm::Value* moved = builder.CreateSub(bits, integer(root));
    llvm::Value* exponent = builder.CreateAShr(moved, integer(mantissa));
    llvm::Value* base = builder.CreateSub(bits, builder.CreateShl(exponent, integer(mantissa)));
    exponent =
        builder.CreateSub(exponent, builder.CreateSelect(isTiny, integer(mantissa), integer(0)));
    llvm::Value* f = sub(builder.CreateBitCast(base, type), real(1));
    return {f, builder.CreateSIToFP(exponent, type)};
}

llvm::Value* MathBuilder::logSpecials(llvm::Value* x, llvm::Value* result) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    result = select(less(x, real(infinity)), result, x); // infinity and NaN stay
    result = select(less(x, real(0)), real(std::numeric_limits<double>::quiet_NaN()), result);
    return select(equal(x, real(0)), real(-infinity), result);
}

} // namespace fw::codegen
