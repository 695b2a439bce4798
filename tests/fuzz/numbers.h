// The bytes of tensors as numbers, and back, by the compiler's own types and by integer arithmetic.
// Nothing here goes through the conversions of core, so a wrong one there shows.
#pragma once

#include "ir/tensor_data.h"

namespace fw::fuzz {

bool isNarrow(DType dtype); // f16 or bf16

// An element as a double; of a 64-bit integer the nearest.
double numberAt(const TensorData& data, std::size_t index);
std::vector<double> numbersOf(const TensorData& data);
// Floats rounded once, halves to even; integers, which must fit, and truths as they are.
TensorData dataOf(DType dtype, std::vector<std::int64_t> extents,
                  const std::vector<double>& numbers);
// Floats as another float type, rounded once; a NaN stays one.
TensorData floatsAs(const TensorData& data, DType dtype);

// Of a float type. `steps` is the distance between 1 and the next number.
struct FloatRange {
    double largest, leastNormal, least, step;
};
FloatRange rangeOf(DType dtype);

// Of an integer type or bool. The most of u64 is all bits.
std::int64_t leastInteger(DType dtype);
std::int64_t mostInteger(DType dtype);

// Calls `use` with a value of the C++ type that an element of an integer type or of bool is, f32 or
// f64; f16 is _Float16, bf16 has no type.
template <class Use>
auto withType(DType dtype, const Use& use) {
    switch (dtype) {
    case DType::Bool:
        return use(bool{});
    case DType::I8:
        return use(std::int8_t{});
    case DType::U8:
        return use(std::uint8_t{});
    case DType::I16:
        return use(std::int16_t{});
    case DType::U16:
        return use(std::uint16_t{});
    case DType::I32:
        return use(std::int32_t{});
    case DType::U32:
        return use(std::uint32_t{});
    case DType::I64:
        return use(std::int64_t{});
    case DType::U64:
        return use(std::uint64_t{});
    case DType::F16:
        return use(_Float16{});
    case DType::F64:
        return use(double{});
    default:
        return use(float{});
    }
}

// Of bf16: the upper half of an f32.
float fromBrain(std::uint16_t bits);
std::uint16_t toBrain(double value); // the nearest, halves to even

} // namespace fw::fuzz
