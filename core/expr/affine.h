// Inside expr: the parts of affine sums that simplification and proofs share.
#pragma once

#include "expr/simplify.h"

namespace fw {

bool addTerm(Affine& sum, const Expr& atom,
             std::int64_t coefficient); // += coefficient * atom; false on overflow
bool addScaled(Affine& sum, const Affine& other,
               std::int64_t factor);                // += factor * other; false on overflow
void normalise(Affine& sum);                        // one canonical order, no zero terms
void collectFactors(const Expr& e, Exprs& factors); // of a product of atoms
Expr productOf(Exprs factors);                      // in one canonical order

} // namespace fw
