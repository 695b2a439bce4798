// Passes over loop nests: each takes a nest and gives one that computes the same.
#pragma once

#include "loop/loop.h"

#include "expr/simplify.h"

namespace fw {

// Simplifies indices and conditions with what loops and conditions around them tell, drops decided
// conditions, loops without iterations and loops with one (their variable becomes a value).
LoopNest simplifyLoops(const LoopNest& nest);

// A serial loop whose body is one `if` over bounds of the loop variable runs over the narrower
// range:
//     for kh in 3 { if 0 <= oh + kh - 1 && ... { S } }   ->   for kh in .. from max(0, 1 - oh) { S
//     }
LoopNest clampLoops(const LoopNest& nest);

// A serial loop whose body asks conditions that are linear in its variable becomes up to three
// loops: those before and after keep the conditions, in the one between they are true and gone.
// Edges of one iteration become plain statements, so that unrolled conditions fold.
LoopNest partitionLoops(const LoopNest& nest);

LoopNest optimizeLoops(const LoopNest& nest); // all of them, in order

// Parts of a condition joined by And.
Exprs conjuncts(const Expr& condition);
Expr conjunction(const Exprs& parts);

// Statements after Unroll loops are expanded (Vector counts one), saturating at 1 << 30.
std::int64_t unrolledSize(const Stmt& statement);

// The same statement with variables replaced; loops that bind one of them must not occur inside.
Stmt substitute(const Stmt& statement, const Substitution& map);

} // namespace fw
