// What the runtime computes itself: sorting and selecting, which no loops over elements say well.
// How many elements a step selects is known behind it; its results have room for all that may be,
// and it says how many there are.
#pragma once

#include "runtime/program.h"

namespace fw::runtime {

// Values are part of the program format: append only. Buffers in the order of the step; `count` is
// i64[1], what lies behind it in the results is 0. All in row-major order.
enum class NativeOp : std::uint32_t {
    // keep: bool[N] -> places: i64[N], count. The places of those that are kept, in order.
    // Numbers: N.
    Compact = 0,
    // x: T[N, M] -> first, inverse, times: i64[N], count. Rows that differ: where each stands
    // first,
    // which of them every row is, how often each is there. NaN equals NaN.
    // Numbers: N, M, whether they are in ascending order or in that of their first places.
    Unique = 1,
    // boxes: f32[B, N, 4], scores: f32[B, C, N], most: i64[1], overlap: f32[1], least: f32[1] ->
    // selected: i64[K, 3], count. Per image and class the boxes by falling score that no box
    // selected before covers by more than `overlap`. K: at least B * C * min(N, most).
    // Numbers: B, N, C, K, whether boxes are (x, y, width, height) of their centers or two corners
    // (y, x).
    NonMaxSuppression = 2,
};

const char* nativeText(std::uint32_t op); // "compact"
// The step that the runtime has under that name; false if there is none.
bool nativeNamed(const char* name, NativeOp& op);

// Number of buffers and numbers, types.
Status checkNative(const Step& step, const Program& program);
// Numbers in range, buffers large enough; `bytes` by tensor.
Status fitNative(const Step& step, const Program& program, const std::int64_t* numbers,
                 const std::vector<std::int64_t>& bytes);
// What was checked and fits.
void runNative(const Step& step, const Program& program, void* const* buffers,
               const std::int64_t* numbers);

} // namespace fw::runtime
