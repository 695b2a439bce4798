// What a schedule may ask for at most, so that whatever a book says is refused before it takes all
// memory or never ends. Templates stay far below.
#pragma once

#include "schedule/apply.h"

namespace fw {

std::optional<std::string> tooLargeFactor(std::int64_t factor);
std::optional<std::string> tooManyLoops(std::size_t loops); // of a stage, to make more
// Why a split is too much for a stage whose steps it has not joined yet; nullopt: it is not.
std::optional<std::string> tooMuchSplit(const ScheduleStep& split, const ScheduledStage& scheduled,
                                        const Stage& stage);
// Why a stage (a map) cannot be computed where it is read: expressions would outgrow memory.
std::optional<std::string> tooMuchInlined(const OpInst& inst, std::size_t stage);

// What a group asks for as a whole, and the step that does.
struct TooMuch {
    std::size_t stage = 0; // in ScheduledGroup::stages
    std::optional<std::size_t> step;
    std::string why;
};
std::optional<TooMuch> tooMuchCode(const ScheduledGroup& group);
// Why a constant of this shape cannot be packed so: elements would be lost, or memory is wasted.
std::optional<std::string> tooMuchPacked(const StorageMap& map, const Shape& shape);

} // namespace fw
