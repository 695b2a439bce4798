// Shapes that are computed while the model runs: small operators compute what the node means, and
// bind_dims makes dimensions of the result (NodeImport::bound).
#pragma once

#include "onnx/read/node_import.h"

namespace fw {

// Operand i as a vector of i64, flat.
Result<ValueRef> integerVector(NodeImport& n, std::size_t i);
// The extents of x, i64[rank].
Result<ValueRef> extentsOf(NodeImport& n, ValueRef x);

// As far as they are known: the axes in the operand lie in a tensor of this rank, each named once.
Status checkAxes(NodeImport& n, std::size_t operand, std::size_t rank);

// A start or an end of a slice. A number of 32 bits or more is how exporters write the end of an
// axis, or its beginning, where they do not know its size: it becomes one beyond every extent, and
// that a free one is no longer is assumed.
std::int64_t placeOfSlice(NodeImport& n, std::int64_t place, const Dim& extent, std::size_t axis);

// Operand 1 is the target of operand 0.
Status reshapeRunning(NodeImport& n, bool allowZero);
// Operand 1 has the axes.
Status squeezeRunning(NodeImport& n);
Status unsqueezeRunning(NodeImport& n);
// Operands 1 to 4: starts, ends, and axes and steps where they are given.
Status sliceRunning(NodeImport& n);
// Operands 1 to 3: pads, and a value and axes where they are given. `mode`: as of the operator.
Status padRunning(NodeImport& n, const std::string& mode);
Status rangeRunning(NodeImport& n);
// How places of a Resize are counted and read.
struct RunningResize {
    std::string mode, coordinates; // as of the operator
    std::int64_t rounding = 0;     // as resize_nearest has it
    double cubic = -0.75;
    bool exclude = false;
    double outside = 0;
    std::vector<std::size_t> axes;
    std::optional<bool> oneScale =
        std::nullopt; // for all axes: the largest, or the least, by sizes
    bool antialias = false;
};
// Of operand 0 by the scales, or else the sizes, in that operand.
Status resizeRunning(NodeImport& n, const RunningResize& how, std::optional<std::size_t> scales,
                     std::optional<std::size_t> sizes);
// Integers between which a Resize interpolates: computed as real numbers over all axes, of which
// the whole part is the result, as the standard's reference and ONNX Runtime have it. What is a
// whole number but for rounding is that number.
struct Interpolated {
    ValueRef from;
    std::optional<DType> integer; // nullopt: `from` is the operand itself
    static Result<Interpolated> begin(NodeImport& n, const std::string& mode, ValueRef x);
    Status end(NodeImport& n, ValueRef y) const;
};
// An operator that is still to be made: as the result of the node, or as a step on the way.
struct LastStep {
    std::string op;
    std::vector<ValueRef> inputs;
    Attrs attrs;
};

} // namespace fw
