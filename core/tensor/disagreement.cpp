#include "tensor/disagreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

double number(const Values& values, std::size_t i) {
    const Value& value = values.data.at(i);
    return isFloat(values.dtype) ? value.real : static_cast<double>(value.integer);
}

std::string placeText(const Shape& shape, std::size_t element) {
    std::vector<std::size_t> place;
    for (auto dim = shape.rbegin(); dim != shape.rend(); ++dim) {
        const auto extent = static_cast<std::size_t>(dim->asInt().value_or(1));
        place.insert(place.begin(), element % extent);
        element /= extent;
    }
    return place.empty() ? std::string() : fmt::format("[{}]", fmt::join(place, ", "));
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

std::string Disagreement::text(std::string_view name) const {
    const auto text = [](double value) { // the sign of NaN says nothing
        return std::isnan(value) ? std::string("nan") : fmt::format("{:.9g}", value);
    };
    return fmt::format("{}{} is {} instead of {}", name, place, text(got), text(wanted));
}

std::optional<Disagreement> disagreementOf(const Graph& graph,
                                           const std::vector<BoundedValues>& got,
                                           const std::vector<BoundedValues>& wanted,
                                           const AgreementOptions& options) {
    for (std::size_t k = 0; k < wanted.size(); ++k)
        for (std::size_t i = 0; i < wanted[k].values.data.size(); ++i) {
            const double a = number(got[k].values, i), b = number(wanted[k].values, i);
            if (differ(a, b, got[k].error(i) + wanted[k].error(i), options))
                return Disagreement{k, placeText(graph.type(graph.results()[k].value).shape, i), a,
                                    b};
        }
    return std::nullopt;
}

} // namespace fw
