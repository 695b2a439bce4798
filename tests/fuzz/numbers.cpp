#include "fuzz/numbers.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace fw::fuzz {

namespace {

template <class T>
T read(const TensorData& data, std::size_t index) {
    T out;
    std::memcpy(&out, data.bytes().data() + index * sizeof(T), sizeof(T));
    return out;
}

template <class T>
void write(std::vector<std::byte>& bytes, std::size_t index, T value) {
    std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

} // namespace

bool isNarrow(DType dtype) {
    return dtype == DType::F16 || dtype == DType::BF16;
}

float fromBrain(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// An f32 on the way would round twice, so the discarded bits are those of the double: what has 8
// bits of mantissa is compared with the middle between it and the next.
std::uint16_t toBrain(double value) {
    if (std::isnan(value))
        return 0x7FC0;
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(value);
    // The largest number not above `size`, by the order of the bits of positive numbers.
    std::uint16_t low = 0, high = 0x7F80; // infinity
    while (high - low > 1) {
        const auto middle = static_cast<std::uint16_t>((low + high) / 2);
        (static_cast<double>(fromBrain(middle)) <= size ? low : high) = middle;
    }
    const double below = static_cast<double>(fromBrain(low));
    // What would follow the largest number is 2^128.
    const double above = high == 0x7F80 ? 0x1p128 : static_cast<double>(fromBrain(high));
    const double half = below + (above - below) / 2;
    const bool up = size > half || (size == half && low % 2 == 1);
    return static_cast<std::uint16_t>(sign | (up ? high : low));
}

double numberAt(const TensorData& data, std::size_t index) {
    if (data.dtype() == DType::BF16)
        return static_cast<double>(fromBrain(read<std::uint16_t>(data, index)));
    return withType(data.dtype(), [&](auto zero) {
        return static_cast<double>(read<decltype(zero)>(data, index));
    });
}

std::vector<double> numbersOf(const TensorData& data) {
    std::vector<double> out(data.count());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = numberAt(data, i);
    return out;
}

TensorData dataOf(DType dtype, std::vector<std::int64_t> extents,
                  const std::vector<double>& numbers) {
    std::vector<std::byte> bytes(numbers.size() * dtypeBytes(dtype));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (dtype == DType::BF16)
            write(bytes, i, toBrain(numbers[i]));
        else
            withType(dtype,
                     [&](auto zero) { write(bytes, i, static_cast<decltype(zero)>(numbers[i])); });
    return TensorData(dtype, std::move(extents), std::move(bytes));
}

TensorData floatsAs(const TensorData& data, DType dtype) {
    return data.dtype() == dtype ? data : dataOf(dtype, data.extents(), numbersOf(data));
}

FloatRange rangeOf(DType dtype) {
    switch (dtype) {
    case DType::F16:
        return {65504, 0x1p-14, 0x1p-24, 0x1p-10};
    case DType::BF16:
        return {0x1.FEp127, 0x1p-126, 0x1p-133, 0x1p-7};
    case DType::F64:
        return {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
                std::numeric_limits<double>::denorm_min(), 0x1p-52};
    default:
        return {0x1.FFFFFEp127, 0x1p-126, 0x1p-149, 0x1p-23};
    }
}

std::int64_t leastInteger(DType dtype) {
    return withType(dtype, [](auto zero) -> std::int64_t {
        if constexpr (std::is_integral_v<decltype(zero)>)
            return std::numeric_limits<decltype(zero)>::min();
        return 0;
    });
}

std::int64_t mostInteger(DType dtype) {
    return withType(dtype, [](auto zero) -> std::int64_t {
        if constexpr (std::is_integral_v<decltype(zero)>)
            return static_cast<std::int64_t>(std::numeric_limits<decltype(zero)>::max());
        return 0;
    });
}

} // namespace fw::fuzz
