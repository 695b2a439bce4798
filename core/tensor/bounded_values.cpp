#include "tensor/bounded_values.h"

#include "expr/operations.h"

#include <algorithm>
#include <cmath>

namespace fw {

double roundingUnit(DType dtype) {
    switch (dtype) {
    case DType::F16:
        return 0x1p-11;
    case DType::BF16:
        return 0x1p-8;
    case DType::F32:
        return 0x1p-24;
    case DType::F64:
        return 0x1p-52; // the reference rounds as well
    default:
        return 0;
    }
}

double roundingError(DType dtype, double value) {
    return roundingUnit(dtype) * std::max(std::fabs(value), leastNormal(dtype));
}

double exactIntegers(DType dtype) {
    switch (dtype) {
    case DType::F16:
        return 0x1p11;
    case DType::BF16:
        return 0x1p8;
    case DType::F32:
        return 0x1p24;
    default:
        return 0x1p53;
    }
}

double leastNormal(DType dtype) {
    switch (dtype) {
    case DType::F16:
        return 0x1p-14;
    case DType::F64:
        return 0x1p-1022;
    default:
        return 0x1p-126;
    }
}

MathError mathError(MathFn fn, DType dtype) {
    const FunctionRow& row = rowOf(fn);
    return {row.ulps, dtype == DType::F64 ? 0 : row.absolute};
}

BoundedValues exactValues(const TensorData& data) {
    return {valuesOf(data), {}};
}

} // namespace fw
