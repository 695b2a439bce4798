// Inside fusion: where values lie in memory, once the groups stand.
#pragma once

#include "fusion/group.h"

namespace fw {

// Adds the storage map of every value to the plan, with a Decision for those that an implementation
// wants in another order than row-major (layout.cpp). `border`: PlanOptions::border.
void chooseLayouts(const Graph& graph, const Target& target, FusionPlan& plan,
                   const std::map<ValueRef, StorageMap>& border = {});

// Concats, slices and splits that have nothing to do, because their parts lie in the whole, become
// views; a Decision for each (places.cpp).
void placeInside(const Graph& graph, FusionPlan& plan);

// Code that has channels side by side writes an image that lies row by row an element at a
// time, each into another plane. Where these lie a multiple of 4 KB apart their lines share the
// sets of a cache, and every element moves a line of its own.
void priceScattered(const Graph& graph, const Target& target, FusionPlan& plan);

} // namespace fw
