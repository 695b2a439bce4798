// oneDNN's own steps around a call: weights packed while compiling, reorders, questions.
#pragma once

#include "extern/adapter.h"

namespace fw::onednn {

// The step with numbers and with constant weights in the layout of the library's choice.
runtime::ShapedCall questionOf(const ExternStep& step);

// Its answer as a verdict: refused if it has no kernel or only a reference one.
Acceptance verdictOf(const runtime::ShapedCall& question, int threads);

// Replaces constant weights by packed ones, with a decision. Weights stay as they are if the
// library's layout has no name.
Status packWeights(const Graph& graph, ExternStep& step, int threads, ExternCall& call);

// A tensor between two steps of the call. `layout` is oneDNN's name, or empty: dense, by `strides`.
struct Inside {
    std::string name;
    std::string suffix; // of the step that brings it there, or back: "_reorder_in"
    Exprs strides;
    std::string layout;
};

// Lets `argument` of `step` work on memory of its own; the step that is returned brings the value
// there (or back, for an output).
ExternStep moveInside(ExternStep& step, std::size_t argument, const Inside& inside);

// Stores the data of `argument`, a constant image, channels-last.
void storeChannelsLast(const Graph& graph, ExternStep& step, std::size_t argument);

// Operands that no argument uses any more.
void dropUnused(ExternStep& step);

} // namespace fw::onednn
