// A case as `.fw` text, and back: what a failure is kept as.
//
//     # values random        or integers, edges, infinite: the operands, seeded by position
//     # sizes N=3            of the free dimensions, and a second choice of them
//     # others N=1
//     graph random(x0: f32[N, 4]) -> y0 { ... }
//
// Constants are named after what they hold ("random7", "integers7"), so the text of a large one is
// `const random(7)`, or `const @"integers7"`, which only this reader fills.
#pragma once

#include "fuzz/case.h"

namespace fw::fuzz {

std::string seededName(Values values, std::uint64_t seed);
TensorData seededConstant(Values values, std::uint64_t seed, const TensorType& type);

std::string caseText(const Case& one, const std::string& remark = {});
// With operands and results; refused as the text or the reference refuses.
Result<Case> readCase(const std::string& text, std::shared_ptr<const OperatorSet> operators);

} // namespace fw::fuzz
