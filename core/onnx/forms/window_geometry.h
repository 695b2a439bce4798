// What Conv, ConvTranspose and the pools share: kernel, strides, pads and dilations of the spatial
// axes, checked, with auto_pad resolved. One spatial axis is read as two, the first of extent 1.
#pragma once

#include "onnx/read/node_import.h"

#include <span>

namespace fw {

struct WindowGeometry {
    Integers kernel; // one number for each axis, two at least
    Integers strides;
    Exprs pads; // begins, then ends; of free dimensions where auto_pad or ceil_mode says so
    Integers dilations;
    bool oneAxis = false; // the tensors have rank 3 and are viewed with a height of 1

    std::size_t axes() const { return kernel.size(); }
    bool isImage() const { return axes() == 2; } // what most operators of the library are for
    Exprs before() const { return {pads.begin(), pads.begin() + half()}; }
    Exprs behind() const { return {pads.begin() + half(), pads.end()}; }
    std::int64_t reach(std::size_t axis) const { // from the first element of a window to the last
        return (kernel[axis] - 1) * dilations[axis] + 1;
    }
    // strides, dilations, and `pads`, or `before` and `behind` as the operators for any number of
    // axes have them.
    Attrs attrs() const;

private:
    std::ptrdiff_t half() const { return static_cast<std::ptrdiff_t>(axes()); }
};

// Pads (begins, then ends) with which a window of any size gives ceil(extent / stride) places along
// each axis; the odd one at the end (SAME_UPPER) or at the beginning.
Exprs samePads(std::span<const Dim> extents, const Integers& kernel, const Integers& strides,
               const Integers& dilations, bool oddAtEnd);

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
