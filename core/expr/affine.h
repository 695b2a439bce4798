// Sums of integer multiples of atoms, and how an index expression becomes one. Overflow never
// wraps: the whole expression is then one opaque atom.
#pragma once

#include "expr/expr.h"

#include <utility>
#include <vector>

namespace fw {

struct Affine {
    std::vector<std::pair<Expr, std::int64_t>> terms; // atom, coefficient != 0; sorted by text
    std::int64_t constant = 0;
};
Affine toAffine(const Expr& e); // every index expression has one; opaque parts are atoms
Expr fromAffine(const Affine& affine);

bool addTerm(Affine& sum, const Expr& atom,
             std::int64_t coefficient); // += coefficient * atom; false on overflow
bool addScaled(Affine& sum, const Affine& other,
               std::int64_t factor);                // += factor * other; false on overflow
void normalise(Affine& sum);                        // one canonical order, no zero terms
void collectFactors(const Expr& e, Exprs& factors); // of a product of atoms
Expr productOf(Exprs factors);                      // in one canonical order

} // namespace fw
