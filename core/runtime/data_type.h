// Element types, as programs name them.
#pragma once

#include "runtime/fusewright.h"

#include <cstdint>

namespace fw::runtime {

// Values are part of the program format.
enum class DataType : std::uint8_t {
    F32 = 0,
    F64 = 1,
    F16 = 2,
    Bf16 = 3,
    I8 = 4,
    I16 = 5,
    I32 = 6,
    I64 = 7,
    U8 = 8,
    U16 = 9,
    U32 = 10,
    U64 = 11,
    Bool = 12, // one byte, 0 or 1
};

std::int64_t elementBytes(DataType type);
fw_dtype dlpackType(DataType type);
const char* typeName(DataType type); // "f32"

} // namespace fw::runtime
