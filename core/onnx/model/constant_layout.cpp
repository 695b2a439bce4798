#include "onnx/model/constant_layout.h"

#include <algorithm>

namespace fw {

namespace {

template <class T>
void transpose(const std::byte* from, std::byte* to, std::size_t rows, std::size_t columns) {
    const T* source = reinterpret_cast<const T*>(from);
    T* target = reinterpret_cast<T*>(to);
    constexpr std::size_t block = 32; // both sides stay in the first cache
    for (std::size_t r0 = 0; r0 < rows; r0 += block)
        for (std::size_t c0 = 0; c0 < columns; c0 += block)
            for (std::size_t r = r0; r < std::min(rows, r0 + block); ++r)
                for (std::size_t c = c0; c < std::min(columns, c0 + block); ++c)
                    target[c * rows + r] = source[r * columns + c];
}

} // namespace

Result<TensorData> transposedConstant(const TensorData& data) {
    if (data.extents().size() != 2)
        return makeDiag(DiagCode::ShapeMismatch, "a matrix is needed");
    const auto rows = static_cast<std::size_t>(data.extents()[0]);
    const auto columns = static_cast<std::size_t>(data.extents()[1]);
    std::vector<std::int64_t> extents{data.extents()[1], data.extents()[0]};
    if (data.isUniform() || rows == 1 || columns == 1)
        return data.reshaped(std::move(extents));
    std::vector<std::byte> out(data.bytes().size());
    switch (dtypeBytes(data.dtype())) {
    case 1:
        transpose<std::uint8_t>(data.bytes().data(), out.data(), rows, columns);
        break;
    case 2:
        transpose<std::uint16_t>(data.bytes().data(), out.data(), rows, columns);
        break;
    case 4:
        transpose<std::uint32_t>(data.bytes().data(), out.data(), rows, columns);
        break;
    default:
        transpose<std::uint64_t>(data.bytes().data(), out.data(), rows, columns);
    }
    return TensorData(data.dtype(), std::move(extents), std::move(out));
}

} // namespace fw
