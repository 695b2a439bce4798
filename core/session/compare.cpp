#include "session/compare.h"

#include "base/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace fw {

namespace {

std::string place(const std::vector<std::int64_t>& extents, std::size_t index) {
    std::string out;
    for (std::size_t i = extents.size(); i-- > 0;) {
        const auto extent = static_cast<std::size_t>(extents[i]);
        out = fmt::format("{}{}{}", index % extent, out.empty() ? "" : ", ", out);
        index /= extent;
    }
    return out;
}

double ulpsBetween(double a, double b) {
    const auto ordered = [](double value) {
        const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(value));
        return static_cast<std::int64_t>(bits < 0 ? INT32_MIN - static_cast<std::int64_t>(bits)
                                                  : bits);
    };
    return static_cast<double>(std::llabs(ordered(a) - ordered(b)));
}

} // namespace

Comparison compareTensors(const std::string& name, const TensorData& got, const TensorData& want,
                          Tolerance tolerance) {
    Comparison out;
    if (got.dtype() != want.dtype() || got.extents() != want.extents()) {
        out.pass = false;
        out.worst =
            fmt::format("{} is {} instead of {}", name, got.type().text(), want.type().text());
        return out;
    }
    double worstExcess = -1;
    for (std::size_t i = 0; i < got.count(); ++i) {
        const double g = got.at(i), w = want.at(i);
        if (g == w || (std::isnan(g) && std::isnan(w)))
            continue;
        const double difference = std::fabs(g - w);
        const bool finite = std::isfinite(g) && std::isfinite(w);
        const double allowed = tolerance.absolute + tolerance.relative * std::fabs(w);
        const double excess = finite ? difference / std::max(allowed, 1e-300) : HUGE_VAL;
        if (finite) {
            out.maxAbs = std::max(out.maxAbs, difference);
            if (w != 0)
                out.maxRel = std::max(out.maxRel, difference / std::fabs(w));
            if (got.dtype() == DType::F32)
                out.maxUlp = std::max(out.maxUlp, ulpsBetween(g, w));
        }
        if (!finite || difference > allowed)
            out.pass = false;
        if (excess > worstExcess) {
            worstExcess = excess;
            out.worst = fmt::format("{}[{}]: {} instead of {}", name, place(got.extents(), i),
                                    numberText(g), numberText(w));
        }
    }
    return out;
}

void mergeInto(Comparison& total, const Comparison& part) {
    if (total.worst.empty() || (total.pass && !part.pass))
        total.worst = part.worst;
    total.pass = total.pass && part.pass;
    total.maxAbs = std::max(total.maxAbs, part.maxAbs);
    total.maxRel = std::max(total.maxRel, part.maxRel);
    total.maxUlp = std::max(total.maxUlp, part.maxUlp);
}

} // namespace fw
