// f16 and bf16: values are f32 in registers and 16 bits in memory.
#pragma once

#include "expr/dtype.h"
#include "target/target.h"

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace fw::codegen {

inline bool isHalf(DType dtype) {
    return dtype == DType::F16 || dtype == DType::BF16;
}

// Scalars and vectors alike. To 16 bits the nearest value is taken, halves to even.
llvm::Value* floatOfHalf(llvm::IRBuilderBase& builder, const Target& target, DType dtype,
                         llvm::Value* bits); // i16 to float
llvm::Value* halfOfFloat(llvm::IRBuilderBase& builder, const Target& target, DType dtype,
                         llvm::Value* value); // float to i16
// An integer of 64 bits as one that a double holds and that rounds to the same 16 bits.
llvm::Value* integerForHalf(llvm::IRBuilderBase& builder, llvm::Value* value, bool isSigned);
// A double as a float that rounds to the same 16 bits: what is lost stays in the last bit.
llvm::Value* floatForHalf(llvm::IRBuilderBase& builder, llvm::Value* value);

} // namespace fw::codegen
