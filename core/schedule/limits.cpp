#include "schedule/limits.h"

#include "base/numbers.h"
#include "expr/simplify.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::int64_t largestFactor = 1 << 20;
constexpr std::size_t mostLoops = 64, mostPeels = 4;
constexpr double mostWaste = 4096;       // iterations for each that is needed
constexpr double mostUnknownWaste = 1e6; // of free dimensions, if they are 1
constexpr std::int64_t mostLanes = 64;   // of one vector loop
constexpr double mostCopies = 4096;      // of a body in straight-line code
constexpr double mostCode = 1 << 17;     // copies by nodes of the expression
constexpr double largestBody = 20000;    // nodes
constexpr double mostPadding = 64;       // memory for each element of a packed constant

struct Waste {
    double known = 1, unknown = 1;

    void count(const std::optional<std::int64_t>& extent, std::int64_t factor) {
        const auto f = static_cast<double>(factor);
        if (!extent)
            unknown *= f;
        else if (*extent > 0)
            known *= static_cast<double>((*extent + factor - 1) / factor) * f /
                     static_cast<double>(*extent);
    }
};

const ScheduledLoop* unrolled(const ScheduledStage& stage) {
    for (const auto* list : {&stage.loops, &stage.reduce})
        for (const ScheduledLoop& loop : *list)
            if (loop.kind == LoopKind::Unroll)
                return &loop;
    return nullptr;
}

double copiesOf(const ScheduledGroup& group, const ScheduledStage& stage) {
    double out = 1;
    const auto extents = axisExtents(group.inst.stages[stage.stage], stage.steps);
    for (const auto* list : {&stage.loops, &stage.reduce})
        for (const ScheduledLoop& loop : *list)
            if (loop.kind == LoopKind::Unroll)
                out *= static_cast<double>(extents.at(loop.var).asInt().value_or(1));
    return out;
}

} // namespace

std::optional<std::string> tooLargeFactor(std::int64_t factor) {
    if (factor <= largestFactor)
        return std::nullopt;
    return fmt::format("{} is more than a factor may be, {}", factor, largestFactor);
}

std::optional<std::string> tooManyLoops(std::size_t loops) {
    if (loops < mostLoops)
        return std::nullopt;
    return fmt::format("the stage has {} loops, and no more can be made", loops);
}

std::optional<std::string> tooMuchSplit(const ScheduleStep& split, const ScheduledStage& scheduled,
                                        const Stage& stage) {
    if (auto why = tooLargeFactor(split.number))
        return why;
    if (auto why = tooManyLoops(scheduled.loops.size() + scheduled.reduce.size()))
        return why;
    Waste waste;
    std::size_t peels = split.tail == Tail::Peel;
    const auto extents = axisExtents(stage, scheduled.steps);
    for (const AxisStep& step : scheduled.steps)
        if (!step.isFuse && step.tail == Tail::Guard)
            waste.count(extents.at(step.first).asInt(), step.factor);
        else
            peels += !step.isFuse;
    if (split.tail == Tail::Guard)
        waste.count(extents.at(split.names[0]).asInt(), split.number);
    if (waste.known > mostWaste || waste.unknown > mostUnknownWaste)
        return "almost all iterations would lie beyond the tail";
    if (peels > mostPeels)
        return fmt::format("{} loops of the stage are peeled already", mostPeels);
    return std::nullopt;
}

std::optional<std::string> tooMuchInlined(const OpInst& inst, std::size_t stage) {
    const double size = inst.stages[stage].body->parts;
    for (const Stage& user : inst.stages) {
        const double all = sumOfParts(user.body, [&](const Expr& e) {
            const bool reads = e.op() == ExprOp::Load && e->symbol == inst.stages[stage].out;
            return reads ? size : 1;
        });
        if (all > largestBody)
            return fmt::format("the expression would have more than {} parts", largestBody);
    }
    return std::nullopt;
}

std::optional<TooMuch> tooMuchCode(const ScheduledGroup& group) {
    for (const ScheduledStage& stage : group.stages) {
        const auto extents = axisExtents(group.inst.stages[stage.stage], stage.steps);
        for (const auto* list : {&stage.loops, &stage.reduce})
            for (const ScheduledLoop& loop : *list)
                if (loop.kind == LoopKind::Vector &&
                    extents.at(loop.var).asInt().value_or(1) > mostLanes)
                    return TooMuch{stage.stage, loop.step,
                                   fmt::format("{} has {} lanes, at most {} can be had",
                                               loop.var.text(), *extents.at(loop.var).asInt(),
                                               mostLanes)};
        const ScheduledStage* nest = &stage;
        double copies = copiesOf(group, stage);
        if (stage.consumer) {
            nest = &group.stages[*stage.consumer];
            copies *= copiesOf(group, *nest);
        }
        const double nodes = group.inst.stages[stage.stage].body->parts;
        if (copies <= mostCopies && copies * nodes <= mostCode)
            continue;
        const ScheduledLoop* loop = unrolled(stage);
        loop = loop != nullptr ? loop : unrolled(*nest);
        return TooMuch{
            stage.stage, loop != nullptr ? loop->step : std::nullopt,
            fmt::format("unrolled, {:.0f} copies of an expression of {:.0f} parts", copies, nodes)};
    }
    return std::nullopt;
}

std::optional<std::string> tooMuchPacked(const StorageMap& map, const Shape& shape) {
    if (map.axes.empty())
        return std::nullopt;
    double padding = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        std::vector<StorageAxis> parts;
        for (const StorageAxis& axis : map.axes)
            if (axis.dim == static_cast<int>(d))
                parts.push_back(axis);
        std::stable_sort(parts.begin(), parts.end(),
                         [](const StorageAxis& a, const StorageAxis& b) { return a.div > b.div; });
        bool whole = !parts.empty() && parts.front().mod == 0 && parts.back().div == 1;
        for (std::size_t i = 1; whole && i < parts.size(); ++i)
            whole = parts[i].mod > 0 && checkedMul(parts[i].mod, parts[i].div) == parts[i - 1].div;
        if (!whole)
            return fmt::format("d{} is not laid out as a whole, such as d{}/32 d{}%32", d, d, d);
        const std::int64_t block = parts.front().div, extent = shape[d].asInt().value_or(1);
        if (auto why = tooLargeFactor(block))
            return why;
        if (extent > 0)
            padding *= static_cast<double>((extent + block - 1) / block) *
                       static_cast<double>(block) / static_cast<double>(extent);
    }
    if (std::any_of(map.axes.begin(), map.axes.end(), [&](const StorageAxis& axis) {
            return axis.dim >= static_cast<int>(shape.size());
        }))
        return fmt::format("it has {} dimensions", shape.size());
    if (padding > mostPadding)
        return "almost all of its memory would be padding";
    return std::nullopt;
}

} // namespace fw
