// Library calls by plain loops: slow and right. Kernels are judged by them, and they compute what
// follows on each element where a library's own way was seen to be wrong.
#pragma once

#include "runtime/library_call.h"

namespace fw::runtime {

// Dense row-major values, one list per argument of a call, in the order of the arguments.
using PlainValues = std::vector<std::vector<float>>;

// Products, convolutions, deconvolutions, pools, softmax and its logarithm.
bool hasPlainLoops(CallKind kind);

// Softmax and its logarithm: an element depends on its whole row.
bool worksOnRows(CallKind kind);

// All elements of the output of such a call, dense and row-major.
void plainRows(const ShapedCall& call, const PlainValues& values, std::vector<double>& out);

// One element of the output of another call before its post-ops; `index` has an entry per axis of
// the output. A NaN stays one through all of them, as through the post-ops.
double plainElement(const ShapedCall& call, const PlainValues& values, const std::int64_t* index);

// The same without the bias where an operand is empty: what no product or no comparison gives.
double plainOfNothing(const ShapedCall& call);

// How many products or comparisons one element takes; 1 where a row is computed at once.
std::int64_t plainWork(const ShapedCall& call);

// One post-op on one element. `operand` is the element of its operand, for Sum what the output
// held; other kinds ignore it.
double postOpValue(const PostOp& op, double x, double operand);

// Where the element of `argument` lies in row-major order that belongs to `index` of the output:
// extents of 1 broadcast.
std::size_t plainPlace(const ShapedArgument& argument, const std::int64_t* index);

// The next index in row-major order; false behind the last one.
bool nextIndex(const std::vector<std::int64_t>& dims, std::int64_t* index);

} // namespace fw::runtime
