// Asks for what the innermost loops of sums read next.
//
// A tile of accumulators reads a panel of weights once per tile, from the second cache; the
// hardware fetches ahead too late for loops that start anew every few hundred cycles. Only vector
// reads that move on by whole cache lines are asked for: the others hit lines that are there.
#pragma once

namespace llvm {
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace fw::codegen {

void addPrefetches(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

} // namespace fw::codegen
