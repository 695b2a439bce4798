// Inside fusion: where values lie in memory, once the groups stand.
#pragma once

#include "fusion/plan.h"

namespace fw {

// Adds the storage map of every value to the plan, with a Decision for those that an implementation
// wants in another order than row-major (layout.cpp). `border`: PlanOptions::border.
void chooseLayouts(const Graph& graph, const Target& target, FusionPlan& plan,
                   const std::map<ValueRef, StorageMap>& border = {});

// Concats, slices and splits that have nothing to do, because their parts lie in the whole, become
// views; a Decision for each (places.cpp).
void placeInside(const Graph& graph, FusionPlan& plan);

} // namespace fw
