// What a random graph is made of: per operator how its operands and attributes are chosen, and
// whole shapes that fusion and the libraries look for.
#pragma once

#include "fuzz/maker.h"

namespace fw::fuzz {

struct Recipe {
    std::string name;               // the operator; of a planted shape what it is
    int weight;                     // how often, beside the others
    std::function<Id(Maker&)> make; // the last value made, none if the attempt failed
};

std::vector<Recipe> elementwiseRecipes();
std::vector<Recipe> movementRecipes();
std::vector<Recipe> computeRecipes();   // contractions, windows, rows, reductions
std::vector<Recipe> functionRecipes();  // of single elements, also between floats and integers
std::vector<Recipe> selectionRecipes(); // by index or by size
std::vector<Recipe> windowRecipes();    // over any number of axes, and values between elements
std::vector<Recipe> arrayRecipes();     // parts of matrices, pads, rows of numbers, spectra
std::vector<Recipe> sizeRecipes();      // sizes that are computed while the graph runs
std::vector<Recipe> integerRecipes();   // products and windows of eight bits
std::vector<Recipe> newerRecipes();     // of ONNX's sets from 18 on
std::vector<Recipe> plantedRecipes();
std::vector<Recipe> ruleRecipes(); // shapes that the shipped rules look for

// Shared
// The shape of a value without free dimensions, broadcast somehow: axes of 1, leading axes missing.
std::vector<std::int64_t> broadcastOf(Maker& maker, const Shape& shape);
Id convolution(Maker& maker, Id image, std::int64_t kernel, std::int64_t filters, bool samePads);
// `id` seen another way but of the same type: through two transposes, two reshapes, a slice, a
// concat, an operator of channels-last images; or `id` itself.
Id detour(Maker& maker, Id id);
// A value of the type of `id` that lies somewhere: an input, a constant, a result, a view ...
Id partner(Maker& maker, Id id);
// Mostly f32, of rank 1 at least; none if what was found has no axis.
Id withAxis(Maker& maker);
// The axis as an attribute says it: sometimes counted from the end.
std::int64_t saidAxis(Maker& maker, Id id, std::size_t axis);
// Places in an axis of this extent (0: unknown), some counted from the end; sometimes also outside.
Id places(Maker& maker, const std::vector<std::int64_t>& extents, std::int64_t extent, DType dtype);

} // namespace fw::fuzz
