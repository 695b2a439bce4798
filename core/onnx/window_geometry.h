// What Conv, ConvTranspose and the pools share: kernel, strides, pads and dilations of two spatial
// axes, checked, with auto_pad resolved. One spatial axis is read as two, the first of extent 1.
#pragma once

#include "onnx/node_import.h"

namespace fw {

struct WindowGeometry {
    Integers kernel; // 2
    Integers strides{1, 1};
    Integers pads{0, 0, 0, 0}; // begins, then ends
    Integers dilations{1, 1};
    bool oneAxis = false; // the tensors have rank 3 and are viewed with a height of 1

    Attrs attrs() const; // strides, pads, dilations
};

enum class PadRule : std::uint8_t {
    Forward,
    Transposed
}; // Transposed: auto_pad is left to the caller

// `x` is the data operand's shape, `kernel` the kernel if the weights say it (empty: attribute
// kernel_shape). Refuses other numbers of spatial axes than 1 and 2, and everything out of range.
Result<WindowGeometry> windowGeometry(NodeImport& n, const Shape& x, const Integers& kernel,
                                      PadRule rule = PadRule::Forward);

// [N, C, W] -> [N, C, 1, W] and back.
Shape withHeight(const Shape& shape);
Shape withoutHeight(const Shape& shape);

} // namespace fw
