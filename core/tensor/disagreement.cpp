#include "tensor/disagreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

double number(const Values& values, std::size_t i) {
    const Value& value = values.data.at(i);
    return isFloat(values.dtype) ? value.real
           : values.dtype == DType::U64
               ? static_cast<double>(static_cast<std::uint64_t>(value.integer))
               : static_cast<double>(value.integer);
}

std::string valueText(const Values& values, std::size_t i) {
    const Value& value = values.data.at(i);
    if (values.dtype == DType::U64)
        return fmt::format("{}", static_cast<std::uint64_t>(value.integer));
    if (!isFloat(values.dtype))
        return fmt::format("{}", value.integer);
    // The sign of NaN says nothing.
    return std::isnan(value.real) ? std::string("nan") : fmt::format("{:.9g}", value.real);
}

// Below the least normal number of a type nothing is asked of its values.
bool differSharply(double a, double b, double error, DType dtype, const AgreementOptions& options) {
    if (a == b || std::isinf(error))
        return false;
    if (!std::isfinite(a) && !std::isfinite(b))
        return std::isnan(a) != std::isnan(b) ? options.noNumbers : !std::isnan(a) && options.signs;
    if (!std::isfinite(a) || !std::isfinite(b))
        return true;
    const double least = isFloat(dtype) ? leastNormal(dtype) : 0;
    return std::abs(a - b) > error + least + options.relative * std::max(std::abs(a), std::abs(b));
}

bool differ(double a, double b, double error, const AgreementOptions& options) {
    if (a == b || (!std::isfinite(a) && !std::isfinite(b)))
        return false;
    if (std::isinf(error))
        return options.wholeOperands && (std::isnan(a) || std::isnan(b));
    if (!std::isfinite(a) || !std::isfinite(b))
        return true;
    return std::abs(a - b) > error + options.relative * std::max(std::abs(a), std::abs(b));
}

} // namespace

std::string placeText(const Shape& shape, std::size_t element) {
    std::vector<std::size_t> place;
    for (auto dim = shape.rbegin(); dim != shape.rend(); ++dim) {
        const auto extent = static_cast<std::size_t>(dim->asInt().value_or(1));
        place.insert(place.begin(), element % extent);
        element /= extent;
    }
    return place.empty() ? std::string() : fmt::format("[{}]", fmt::join(place, ", "));
}

std::string Disagreement::text(std::string_view name) const {
    return fmt::format("{}{} is {} instead of {}", name, place, gotText, wantedText);
}

std::optional<Disagreement> disagreementOf(const Graph& graph,
                                           const std::vector<BoundedValues>& got,
                                           const std::vector<BoundedValues>& wanted,
                                           const AgreementOptions& options) {
    for (std::size_t k = 0; k < wanted.size(); ++k)
        for (std::size_t i = 0; i < wanted[k].values.data.size(); ++i) {
            const double a = number(got[k].values, i), b = number(wanted[k].values, i);
            const double error = options.errors * (got[k].error(i) + wanted[k].error(i));
            if (options.exactOnly && error != 0)
                continue;
            const DType dtype = wanted[k].values.dtype;
            // Integers differ in bits that a double has not.
            const bool beyond = options.sharp && !isFloat(dtype) && error == 0 &&
                                got[k].values.data[i].integer != wanted[k].values.data[i].integer;
            if (beyond || (options.sharp ? differSharply(a, b, error, dtype, options)
                                         : differ(a, b, error, options)))
                return Disagreement{k,
                                    placeText(graph.type(graph.results()[k].value).shape, i),
                                    a,
                                    b,
                                    valueText(got[k].values, i),
                                    valueText(wanted[k].values, i)};
        }
    return std::nullopt;
}

} // namespace fw
