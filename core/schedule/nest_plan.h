// Which stages of a group share a nest, and the templates that plan its loops.
#pragma once

#include "schedule/schedule_planner.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace fw {

// How the loops of a nest are cut where stages of other nests are computed inside them (melted.h).
struct MeltedLoops {
    std::map<Symbol, std::int64_t> tiles; // iterations of an axis further in; others: all of them
    Symbol slides;                        // its tiles follow each other in the innermost loop
                                          // around; empty: all loops around are divided
    std::int64_t strip = 1;               // how many of them
};

// Where a stage of another nest is computed, and how much of it at a time.
struct MeltedInto {
    std::size_t root = 0;
    Symbol loop;
    std::map<Symbol, std::int64_t> box; // iterations of its axes
};

// Stages that share a nest: `root` has the loops, `members` are computed inside it.
struct NestPlan {
    std::size_t root = 0;
    std::vector<std::size_t> members;
    std::set<Symbol> row; // axes of the root that every reduction of the nest has
    std::map<std::size_t, std::map<Symbol, Symbol>> axes; // stage -> its variable -> the root's
    std::optional<MeltedLoops> melted = {};
    std::optional<MeltedInto> into = {};
};

inline std::vector<std::size_t> stagesOf(const NestPlan& nest) {
    std::vector<std::size_t> out = nest.members;
    out.push_back(nest.root);
    return out;
}

// Of the stages as they are after inlining, in order of their roots.
std::vector<NestPlan> nestsOf(const SchedulePlanner& planner);

// Whether the stage computes something of the node.
bool isOf(const Stage& stage, std::int64_t node);
// The axes of the last stage of the node -> those of the last stage that writes `tensor`, as far as
// every read on the way keeps them.
std::map<Symbol, Symbol> carriedAxes(const OpInst& inst, const ScheduleContext& context,
                                     Symbol tensor, std::int64_t node);

// A template: takes the nest and adds its steps, or says why it does not.
using Refused = std::optional<std::string>;
Refused planContraction(SchedulePlanner& planner, const NestPlan& nest);
Refused planRowwise(SchedulePlanner& planner, const NestPlan& nest);
Refused planWindow(SchedulePlanner& planner, const NestPlan& nest);
// Rows that others are melted into, tile by tile of them in `around`.
Refused planRowsAround(SchedulePlanner& planner, const NestPlan& nest, Symbol& around);
// Of a reduction that is melted into another nest: its own rows, with lanes along them.
Refused planRowsInside(SchedulePlanner& planner, const NestPlan& part);
Refused planElementwise(SchedulePlanner& planner, const NestPlan& nest);
Refused planPlain(SchedulePlanner& planner, const NestPlan& nest);

} // namespace fw
