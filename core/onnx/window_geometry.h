// What Conv, ConvTranspose and the pools share: kernel, strides, pads and dilations of the spatial
// axes, checked, with auto_pad resolved. One spatial axis is read as two, the first of extent 1.
#pragma once

#include "onnx/node_import.h"

namespace fw {

struct WindowGeometry {
    Integers kernel; // one number for each axis, two at least
    Integers strides;
    Integers pads; // begins, then ends
    Integers dilations;
    bool oneAxis = false; // the tensors have rank 3 and are viewed with a height of 1

    std::size_t axes() const { return kernel.size(); }
    bool isImage() const { return axes() == 2; } // what most operators of the library are for
    Integers before() const { return {pads.begin(), pads.begin() + half()}; }
    Integers behind() const { return {pads.begin() + half(), pads.end()}; }
    // strides, dilations, and `pads`, or `before` and `behind` as the operators for any number of
    // axes have them.
    Attrs attrs() const;

private:
    std::ptrdiff_t half() const { return static_cast<std::ptrdiff_t>(axes()); }
};

enum class PadRule : std::uint8_t {
    Forward,
    Transposed
}; // Transposed: auto_pad is left to the caller

// `x` is the data operand's shape, `kernel` the kernel if the weights say it (empty: attribute
// kernel_shape). Refuses everything out of range.
Result<WindowGeometry> windowGeometry(NodeImport& n, const Shape& x, const Integers& kernel,
                                      PadRule rule = PadRule::Forward);

// [N, C, W] -> [N, C, 1, W] and back.
Shape withHeight(const Shape& shape);
Shape withoutHeight(const Shape& shape);

} // namespace fw
