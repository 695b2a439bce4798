// Values at which two sides differ that agree nearly everywhere: the numbers that stand in them and
// what is next to these, and what lies next to a tie of one element type, nearer than a wider one
// tells.
#pragma once

#include "base/random.h"
#include "expr/dtype.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace fw {

// Numbers that stand in a rule: conditions rarely hold of others, and sides may differ at them.
struct Literals {
    std::vector<std::int64_t> extents;  // the integers that one may be
    std::vector<std::int64_t> integers; // all
    std::vector<double> reals;          // all numbers, integers among them
    std::vector<DType> types;           // that values have on their way
    bool cut = false;                   // to whole numbers
    std::vector<std::vector<std::int64_t>> lists;
    std::vector<DType> dtypes; // that are written
};

// One of the numbers, or a neighbour of one, that the type holds; nullopt: it holds none.
std::optional<std::int64_t> besideLiteral(Random& random, const Literals& literals, DType integers);
std::optional<double> besideLiteralReal(Random& random, const Literals& literals, DType reals);

// Halfway between two values of one of the types, or off it by less than another one of them, or
// the type itself, keeps: rounded to that one first it is rounded twice. Where values are cut,
// whole numbers and halves are such places. nullopt: there are no two types for it.
std::optional<std::int64_t> besideTie(Random& random, const Literals& literals, DType integers);
std::optional<double> besideTieReal(Random& random, const Literals& literals, DType reals);

} // namespace fw
