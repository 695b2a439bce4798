#include "expr/dtype.h"

namespace fw {

namespace {

enum class Family : std::uint8_t { Truth, Integer, Float, Text };

struct Row {
    std::string_view text;
    std::size_t bytes;
    Family family;
};

constexpr Row rows[] = {
    {"bool", 1, Family::Truth},  {"i8", 1, Family::Integer},  {"u8", 1, Family::Integer},
    {"i16", 2, Family::Integer}, {"u16", 2, Family::Integer}, {"i32", 4, Family::Integer},
    {"u32", 4, Family::Integer}, {"i64", 8, Family::Integer}, {"u64", 8, Family::Integer},
    {"f16", 2, Family::Float},   {"bf16", 2, Family::Float},  {"f32", 4, Family::Float},
    {"f64", 8, Family::Float},   {"text", 0, Family::Text},
};

const Row& row(DType dtype) {
    return rows[static_cast<std::size_t>(dtype)];
}

} // namespace

std::string_view dtypeText(DType dtype) {
    return row(dtype).text;
}

std::optional<DType> parseDtype(std::string_view text) {
    for (std::size_t i = 0; i < std::size(rows); ++i)
        if (rows[i].text == text)
            return static_cast<DType>(i);
    return std::nullopt;
}

std::size_t dtypeBytes(DType dtype) {
    return row(dtype).bytes;
}

bool isFloat(DType dtype) {
    return row(dtype).family == Family::Float;
}

bool isInteger(DType dtype) {
    return row(dtype).family == Family::Integer;
}

} // namespace fw
