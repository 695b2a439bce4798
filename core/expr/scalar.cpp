#include "expr/scalar.h"

#include <cmath>

namespace fw {

namespace {

struct Limits {
    std::int64_t least, most;
};

Limits limitsOf(DType dtype) {
    switch (dtype) {
    case DType::I8:
        return {INT8_MIN, INT8_MAX};
    case DType::U8:
        return {0, UINT8_MAX};
    case DType::I16:
        return {INT16_MIN, INT16_MAX};
    case DType::U16:
        return {0, UINT16_MAX};
    case DType::I32:
        return {INT32_MIN, INT32_MAX};
    case DType::U32:
        return {0, UINT32_MAX};
    case DType::U64:
        return {0, INT64_MAX};
    case DType::Bool:
    case DType::I64:
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64:
    case DType::Text:
        break;
    }
    return {INT64_MIN, INT64_MAX};
}

} // namespace

std::int64_t wrapTo(DType dtype, std::int64_t value) {
    switch (dtype) {
    case DType::Bool:
        return value != 0;
    case DType::I8:
        return static_cast<std::int8_t>(value);
    case DType::U8:
        return static_cast<std::uint8_t>(value);
    case DType::I16:
        return static_cast<std::int16_t>(value);
    case DType::U16:
        return static_cast<std::uint16_t>(value);
    case DType::I32:
        return static_cast<std::int32_t>(value);
    case DType::U32:
        return static_cast<std::uint32_t>(value);
    case DType::I64:
    case DType::U64:
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64:
    case DType::Text:
        break;
    }
    return value;
}

std::int64_t saturateTo(DType dtype, double value) {
    if (std::isnan(value))
        return 0;
    const Limits limits = limitsOf(dtype);
    if (value <= static_cast<double>(limits.least))
        return limits.least;
    if (value >= static_cast<double>(limits.most))
        return limits.most;
    return static_cast<std::int64_t>(value);
}

} // namespace fw
