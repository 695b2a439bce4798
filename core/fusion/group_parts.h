// Groups that are made of parts. One that holds more than the call of its library takes (`pin
// together ... with openblas.sgemm`): the call is one part, and what stands before and behind it
// are kernels of their own, with values between them in memory of the arena.
//
// The plan that the user sees keeps one group; planOfParts() has its parts as groups that follow
// each other, so that memory and steps need not know about it.
#pragma once

#include "fusion/group.h"
#include "strategy/catalog.h"

namespace fw {

// Makes the group one of GroupKind::Parts if its library's call is a part of it. Parts are named
// after it: NAME_before, NAME (the call), NAME_after.
void divideAtCall(const Graph& graph, const Target& target, const Catalog& catalog, Group& group);

// Leaves the group to the references of its nodes: it becomes one of GroupKind::Host, or of parts
// that are.
void leaveToHost(const Graph& graph, Group& group, const std::string& why, Decisions& notices);

// Of the user's plan: a group, and the part of it; 0 if it is the whole.
struct PartOfGroup {
    int group = -1;
    int part = 0;
};

struct PlanOfParts {
    FusionPlan plan;
    std::vector<PartOfGroup> from; // by group of `plan`
};

PlanOfParts planOfParts(const FusionPlan& plan);

} // namespace fw
