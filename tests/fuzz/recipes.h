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
std::vector<Recipe> computeRecipes(); // contractions, windows, rows, reductions
std::vector<Recipe> plantedRecipes();

// Shared
// The shape of a value without free dimensions, broadcast somehow: axes of 1, leading axes missing.
std::vector<std::int64_t> broadcastOf(Maker& maker, const Shape& shape);
Id convolution(Maker& maker, Id image, std::int64_t kernel, std::int64_t filters, bool samePads);
// `id` seen another way but of the same type: through two transposes, two reshapes, a slice, a
// concat, an operator of channels-last images; or `id` itself.
Id detour(Maker& maker, Id id);
// A value of the type of `id` that lies somewhere: an input, a constant, a result, a view ...
Id partner(Maker& maker, Id id);

} // namespace fw::fuzz
