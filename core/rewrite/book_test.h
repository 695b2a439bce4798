// `test` blocks of a book: what a rule, pattern, chain or built-in rewrite does to a small graph.
//
//     test "a relu is idempotent" {
//       graph g(x: f32[N]) -> y { a = relu(x)  y = relu(a) }
//       expect match 1
//       expect becomes graph g(x: f32[N]) -> y { y = relu(x) }
//     }
//
// `match N` counts matches whose conditions hold; `none` is `match 0`, with a part of the reason of
// the nearest miss if one is written. `becomes` applies that rule alone as often as it fires. The
// outcome is compared after constants are folded on both sides, so a weight that the rule computes
// is written as its formula; and unless the graph is large, both graphs must compute the same on
// random inputs.
#pragma once

#include "rewrite/driver.h"
#include "syntax/test.h"

namespace fw {

// Verdict "ok", "failed" (CMP01, RUL02) or "refused" (it cannot be run: graph, subject, rule).
// `before` is what the book declares in front of the test.
CheckedItem runBookTest(const TestTree& test, const std::vector<DeclarationPtr>& before,
                        const RuleBook& book, std::shared_ptr<const OperatorSet> operators,
                        const std::string& file);

} // namespace fw
