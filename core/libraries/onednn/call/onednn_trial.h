// A kernel of oneDNN is taken with what follows on each element only where it was seen to be right:
// once per process it computes a small instance of the same form (kind, groups, orders in memory,
// post-ops, threads), which plain loops compute as well.
#pragma once

#include "runtime/libraries.h"

namespace fw::runtime {

// What was seen of a kernel.
struct Finding {
    // Empty if it computes calls of this form rightly; else what it does, for people: "gemm:jit
    // computes convolution, add wrongly: 3.5 instead of 1.25 at [0, 1, 0, 2] of a small instance".
    std::string doubt;
    // It makes a number of a NaN, or a NaN of a number beside one, but raises the flag of invalid
    // operations then: watched() mends that.
    bool watched = false;
};

// Calls of kinds that have no plain loops are doubted if they have post-ops.
Finding findingOf(const ShapedCall& call, const std::string& kernel, int threads);

// A call of the same form on little memory: offsets, gaps between rows, remainders of channels by
// 16 and the order in memory are kept. With `channels` their numbers are kept, too; images are
// `images` times as wide and high as the smallest, or as they are, and products have so many times
// as many rows. False if the strides of an argument cannot be kept.
bool smallInstance(const ShapedCall& call, bool channels, ShapedCall& small,
                   std::int64_t images = 1);

// prepareOneDnn without a trial; `kernel` is what oneDNN chose.
Status prepareUntried(const ShapedCall& call, int threads, std::unique_ptr<PreparedCall>& prepared,
                      std::string& kernel);

// `anchor` computes `call` up to its post-op `first`; the rest is computed by plain loops. `why` is
// part of the notes.
Status finishByLoops(std::unique_ptr<PreparedCall> anchor, const ShapedCall& call,
                     std::size_t first, const std::string& why, int threads,
                     std::unique_ptr<PreparedCall>& prepared);

// All of `call` by plain loops, if its kind has some.
Status wholeByLoops(const ShapedCall& call, const std::string& why, int threads,
                    std::unique_ptr<PreparedCall>& prepared);

// `fast` computes `call` by `kernel`. Where it raised the flag of invalid operations in a thread
// (IEEE 754: by a comparison with a NaN, among others), the call is computed again in a way that
// keeps every NaN: what stands before the post-ops by oneDNN, the rest by plain loops. What a call
// adds to is gone by then: its run() fails with lostNan(), and runAgain() keeps a copy of it.
std::unique_ptr<PreparedCall> watched(std::unique_ptr<PreparedCall> fast, const ShapedCall& call,
                                      const std::string& kernel, int threads);

// A call with an empty operand, by plain loops: libraries do not take extents of 0. FW_BAD_SHAPE if
// its result is not empty and its kind has no plain loops.
Status prepareOfNothing(const ShapedCall& call, int threads,
                        std::unique_ptr<PreparedCall>& prepared);

} // namespace fw::runtime
