#include "verdict/but_for.h"

#include "tensor/draw_values.h"

#include <algorithm>
#include <cmath>

namespace fw {

std::string_view butForText(ButFor what) {
    switch (what) {
    case ButFor::NaN:
        return "NaN";
    case ButFor::Infinities:
        return "infinities";
    case ButFor::Overflow:
        return "overflow";
    case ButFor::Underflow:
        return "underflow";
    case ButFor::Wrapping:
        return "wrapping";
    case ButFor::Rounding:
        break;
    }
    return "rounding";
}

Replaced::Replaced(const Values& data) {
    std::vector<double> values;
    std::vector<std::int64_t> integers;
    for (const Value& value : data.data) {
        values.push_back(value.real);
        integers.push_back(value.integer);
    }
    own = isFloat(data.dtype) ? dataFromDoubles(data.dtype, data.extents, values)
                              : dataFromIntegers(data.dtype, data.extents, integers);
    other = own;
    if (!isFloat(data.dtype))
        return;
    const auto finite = std::find_if(values.begin(), values.end(),
                                     [](double value) { return std::isfinite(value); });
    const double instead = finite == values.end() ? 1 : *finite;
    for (double& value : values) {
        if (std::isinf(value))
            why = ButFor::Infinities;
        else if (std::isnan(value) && !why)
            why = ButFor::NaN;
        value = std::isfinite(value) ? value : instead;
    }
    other = dataFromDoubles(data.dtype, data.extents, values);
}

} // namespace fw
