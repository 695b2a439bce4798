// The caller's tensors: checks against what a program expects, and copies into and out of row-major
// memory.
#pragma once

#include "runtime/program.h"

namespace fw::runtime {

// An fw_tensor with its own copy of shape and strides. The data stays the caller's.
struct TensorView {
    std::byte* data = nullptr;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides; // in elements, one per extent
    std::int64_t elementSize = 0;
    std::int64_t elements = 0;
    bool contiguous = false; // row-major without gaps

    std::int64_t bytes() const { return elements * elementSize; }
};

// `what` names the tensor in errors: "input image".
Status makeView(const fw_tensor& tensor, const Tensor& expected, const std::string& what,
                TensorView& view);

// "1x3x224x224"; "scalar" without extents.
std::string shapeText(const std::vector<std::int64_t>& shape);

void copyToDense(const TensorView& from, std::byte* to);
void copyFromDense(const std::byte* from, const TensorView& to);

// True if the bytes that the two views may touch overlap.
bool overlap(const TensorView& a, const TensorView& b);

// True if a byte that the view may touch is one of `bytes` bytes from `memory` on.
bool touches(const TensorView& view, const void* memory, std::size_t bytes);

// Whether an element of one lies on an element of the other, or, of one view alone, on another one
// of its own. Exact, where `overlap` only compares what lies between first and last bytes.
Status findShared(const TensorView& a, const TensorView& b, bool& shared);

} // namespace fw::runtime
