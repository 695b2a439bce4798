// Facts: what the passes may know about an operator. Derived from its OpInst, never declared.
#pragma once

#include "expr/expr.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fw {

// Ordered from the easiest to fuse to the hardest. Broadcast: reads an operand that lacks an axis.
// Injective: moves elements (transpose, slice, concat, reshape). Reduction: every element read
// once; Window: read more than once (overlapping pool). Rowwise: a reduction, then maps over the
// same outer axes (softmax, layer norm). Contraction: a sum of products with reuse (matmul,
// convolution).
enum class FusionKind : std::uint8_t {
    Elementwise,
    Broadcast,
    Injective,
    Reduction,
    Window,
    Rowwise,
    Contraction,
    Opaque
};

// Work that takes its time in the same way, whatever operator it comes from; machines have a rate
// for each. Grouped: a convolution over channels in groups, depthwise included. Product: a matrix
// product, a convolution of single points included. FewRows: one with at most 8 rows or columns,
// which reads more than it computes. Pool: windows without a product. Rows: whole rows are folded,
// and possibly read again.
enum class WorkClass : std::uint8_t { Other, Convolution, Grouped, Product, FewRows, Pool, Rows };
inline constexpr WorkClass workClasses[] = {WorkClass::Convolution, WorkClass::Grouped,
                                            WorkClass::Product,     WorkClass::FewRows,
                                            WorkClass::Pool,        WorkClass::Rows};

struct Facts {
    FusionKind kind = FusionKind::Opaque;
    WorkClass work = WorkClass::Other;
    std::vector<FusionKind> inputKinds; // kind per input, seen from the first output
    std::vector<bool> inPlace;          // per input: the first output may overwrite it
    double flops = 0;                   // of the whole OpInst, free dims counted as 1
    Expr flopsExpr = 0;                 // the same over the free dims
    double transcendentals = 0;         // exp, erf, ... evaluated
    double bytesRead = 0;
    double bytesWritten = 0;
};

std::string_view kindText(FusionKind kind); // "elementwise", ...
std::string_view workText(WorkClass work);  // "convolution", "few_rows", ...

} // namespace fw
