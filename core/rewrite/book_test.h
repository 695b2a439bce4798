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

struct CheckedItem {
    std::string name;
    std::string kind;    // "rule", "operator", "pattern", "chain", "builtin", "test"
    std::string verdict; // "ok", "refused", of a test also "failed"
    Diags diagnostics;
    Span span;
};

// What a test can be about.
struct TestSurroundings {
    std::vector<DeclarationPtr> before;   // in the book in front of it: without `of` the last one
    std::vector<DeclarationPtr> declared; // by name; the last one is meant
    PatternTable patterns;
    std::shared_ptr<const OperatorSet> operators;
    std::string file;
};

// Verdict "ok", "failed" (CMP01, RUL02) or "refused" (it cannot be run: graph, subject, rule).
CheckedItem runBookTest(const TestTree& test, const TestSurroundings& around);

} // namespace fw
