// Element types of tensors and of scalar expressions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fw {

enum class DType : std::uint8_t {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    BF16,
    F32,
    F64,
    Text
};

std::string_view dtypeText(DType dtype);                // "bool", "i8", ..., "f32", "text"
std::optional<DType> parseDtype(std::string_view text); // the inverse
std::size_t dtypeBytes(DType dtype);                    // 0 for Text
bool isFloat(DType dtype);
bool isInteger(DType dtype); // Bool and Text are not integers

} // namespace fw
