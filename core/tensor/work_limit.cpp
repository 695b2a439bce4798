#include "tensor/work_limit.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

Diag tooMany(const Stage& stage, const std::vector<std::int64_t>& extents, std::int64_t most,
             std::string hint) {
    std::string box;
    for (const std::int64_t extent : extents)
        box += fmt::format("{}{}", box.empty() ? "" : " x ", extent);
    return makeDiag(DiagCode::LimitReached,
                    fmt::format("{} takes {} steps, the limit is {}", stage.out.text(), box, most),
                    {}, std::move(hint));
}

} // namespace

std::optional<std::int64_t> pointsWithin(const std::vector<std::int64_t>& extents,
                                         std::int64_t most) {
    if (std::any_of(extents.begin(), extents.end(), [](std::int64_t one) { return one <= 0; }))
        return 0;
    std::int64_t points = 1;
    for (const std::int64_t extent : extents) {
        if (extent > most / points)
            return std::nullopt;
        points *= extent;
    }
    return points;
}

Status checkPoints(const Stage& stage, std::int64_t most) {
    std::vector<std::int64_t> extents;
    for (const auto* axes : {&stage.space, &stage.reduce})
        for (const Axis& axis : *axes)
            extents.push_back(axis.extent.asInt().value_or(1));
    if (pointsWithin(extents, most))
        return {};
    return tooMany(stage, extents, most, "let fewer elements or a shorter sum be asked for");
}

Diag tooManyPoints(const Stage& stage, const std::vector<std::int64_t>& extents,
                   std::int64_t most) {
    return tooMany(stage, extents, most,
                   "the reference computes one element after another; smaller sizes it does");
}

} // namespace fw
