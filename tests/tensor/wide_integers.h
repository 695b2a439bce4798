// What an integer type holds, in one that holds them all.
#pragma once

#include "expr/dtype.h"

namespace fw::test {

using Wide = __int128;

inline constexpr const char* levels[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};

inline int bitsOf(DType dtype) {
    return static_cast<int>(dtypeBytes(dtype)) * 8;
}

inline bool isSigned(DType dtype) {
    return dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
}

inline Wide leastWide(DType dtype) {
    return isSigned(dtype) ? -(Wide(1) << (bitsOf(dtype) - 1)) : Wide(0);
}

inline Wide mostWide(DType dtype) {
    return (Wide(1) << (bitsOf(dtype) - (isSigned(dtype) ? 1 : 0))) - 1;
}

} // namespace fw::test
