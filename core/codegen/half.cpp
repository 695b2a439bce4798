#include "codegen/half.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

namespace fw::codegen {

namespace {

llvm::Type* like(llvm::Type* element, const llvm::Value* v) {
    const auto* vector = llvm::dyn_cast<llvm::VectorType>(v->getType());
    return vector ? llvm::VectorType::get(element, vector->getElementCount()) : element;
}

llvm::Constant* number(const llvm::Value* v, std::uint64_t value) {
    return llvm::ConstantInt::get(v->getType(), value);
}

} // namespace

llvm::Value* floatOfHalf(llvm::IRBuilderBase& b, const Target& target, DType dtype,
                         llvm::Value* bits) {
    llvm::Type* single = like(b.getFloatTy(), bits);
    if (dtype == DType::F16 && target.hasFma()) // such a CPU converts by itself
        return b.CreateFPExt(b.CreateBitCast(bits, like(b.getHalfTy(), bits)), single);
    llvm::Value* wide = b.CreateZExt(bits, like(b.getInt32Ty(), bits));
    if (dtype == DType::BF16)
        return b.CreateBitCast(b.CreateShl(wide, 16), single);
    llvm::Value* sign = b.CreateShl(b.CreateAnd(wide, number(wide, 0x8000)), 16);
    llvm::Value* size = b.CreateShl(b.CreateAnd(wide, number(wide, 0x7fff)), 13);
    // The exponents differ by 112; a product is right for denormals, too.
    llvm::Value* scaled = b.CreateBitCast(
        b.CreateFMul(b.CreateBitCast(size, single), llvm::ConstantFP::get(single, 0x1p112)),
        wide->getType());
    llvm::Value* special = b.CreateOr(size, number(size, 0x7f800000));
    llvm::Value* isSpecial = b.CreateICmpUGE(size, number(size, 0x7c00U << 13));
    return b.CreateBitCast(b.CreateOr(b.CreateSelect(isSpecial, special, scaled), sign), single);
}

llvm::Value* halfOfFloat(llvm::IRBuilderBase& b, const Target& target, DType dtype,
                         llvm::Value* value) {
    llvm::Type* word = like(b.getInt16Ty(), value);
    if (dtype == DType::F16 && target.hasFma())
        return b.CreateBitCast(b.CreateFPTrunc(value, like(b.getHalfTy(), value)), word);
    llvm::Value* bits = b.CreateBitCast(value, like(b.getInt32Ty(), value));
    llvm::Value* sign = b.CreateLShr(b.CreateAnd(bits, number(bits, 0x80000000)), 16);
    llvm::Value* size = b.CreateAnd(bits, number(bits, 0x7fffffff));
    llvm::Value* isNan = b.CreateICmpUGT(size, number(size, 0x7f800000));
    const auto rounded = [&](unsigned shift, std::uint64_t rebias) {
        llvm::Value* odd = b.CreateAnd(b.CreateLShr(size, shift), number(size, 1));
        llvm::Value* half = number(size, (std::uint64_t{1} << (shift - 1)) - 1);
        return b.CreateLShr(
            b.CreateAdd(b.CreateAdd(b.CreateSub(size, number(size, rebias)), half), odd), shift);
    };
    // What is left of a payload, as the instructions of a CPU leave it.
    const auto quiet = [&](unsigned shift, std::uint64_t least) {
        llvm::Value* cut = b.CreateAnd(b.CreateLShr(size, shift), number(size, 0x7fff));
        return b.CreateOr(cut, number(size, least));
    };
    llvm::Value* out = nullptr;
    if (dtype == DType::BF16) {
        out = b.CreateSelect(isNan, quiet(16, 0x7fc0), rounded(16, 0));
    } else {
        // Below the normal numbers a sum with 0.5 leaves the bits in the last places.
        llvm::Value* small =
            b.CreateSub(b.CreateBitCast(b.CreateFAdd(b.CreateBitCast(size, value->getType()),
                                                     llvm::ConstantFP::get(value->getType(), 0.5)),
                                        size->getType()),
                        number(size, 0x3f000000));
        llvm::Value* isSmall = b.CreateICmpULT(size, number(size, 113U << 23));
        llvm::Value* isLarge = b.CreateICmpUGE(size, number(size, 143U << 23));
        out = b.CreateSelect(isSmall, small, rounded(13, 112U << 23));
        out = b.CreateSelect(isLarge, number(size, 0x7c00), out);
        out = b.CreateSelect(isNan, quiet(13, 0x7e00), out);
    }
    return b.CreateTrunc(b.CreateOr(out, sign), word);
}

llvm::Value* integerForHalf(llvm::IRBuilderBase& b, llvm::Value* value, bool isSigned) {
    constexpr unsigned cut = 11; // bits that a double has not
    const std::uint64_t rest = (std::uint64_t{1} << cut) - 1;
    llvm::Value* isCut = b.CreateICmpNE(b.CreateAnd(value, number(value, rest)), number(value, 0));
    llvm::Value* odd =
        b.CreateOr(b.CreateAnd(value, number(value, ~rest)),
                   b.CreateSelect(isCut, number(value, std::uint64_t{1} << cut), number(value, 0)));
    const std::uint64_t held = std::uint64_t{1} << 53;
    llvm::Value* isLarge =
        isSigned ? b.CreateICmpUGE(b.CreateAdd(value, number(value, held)), number(value, 2 * held))
                 : b.CreateICmpUGE(value, number(value, held));
    return b.CreateSelect(isLarge, odd, value);
}

llvm::Value* floatForHalf(llvm::IRBuilderBase& b, llvm::Value* value) {
    llvm::Value* nearest = b.CreateFPTrunc(value, like(b.getFloatTy(), value));
    llvm::Value* back = b.CreateFPExt(nearest, value->getType());
    llvm::Value* bits = b.CreateBitCast(nearest, like(b.getInt32Ty(), value));
    const auto size = [&](llvm::Value* v) {
        return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v);
    };
    llvm::Value* isBeyond = b.CreateFCmpOGT(size(back), size(value));
    llvm::Value* cut = b.CreateSub(bits, b.CreateZExt(isBeyond, bits->getType())); // towards zero
    llvm::Value* isInexact = b.CreateFCmpONE(back, value);
    return b.CreateBitCast(b.CreateSelect(isInexact, b.CreateOr(cut, number(cut, 1)), bits),
                           nearest->getType());
}

} // namespace fw::codegen
