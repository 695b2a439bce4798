// StorageMap: where the element with logical indices i lies in memory.
//
// Tensor expressions use logical indices only; a map says how they become one offset: a list of
// physical axes, outermost first, each taking (i[dim] / div) % mod of one logical dimension.
// Row-major over the physical extents. Channels-last is n h w c; packed weights are o/32 kh kw c
// o%32. A split dimension is rounded up to a multiple of its block; the padding holds zeros in
// constants and is never read else.
//
// A tensor may lie inside a larger one (an operand of a concat that is computed in its place): then
// the axes are those of the larger tensor, and its indices are moved by the offset of the slice.
#pragma once

#include "ir/tensor_type.h"

#include <string>
#include <vector>

namespace fw {

struct StorageAxis {
    int dim = 0;
    std::int64_t div = 1;
    std::int64_t mod = 0; // 0: no modulo
    bool operator==(const StorageAxis&) const = default;
};

// The tensor is entries offset .. offset + its own extent along `dim` of one with `extent` entries.
struct StorageSlice {
    int dim = 0;
    Dim extent;
    Dim offset;
    bool operator==(const StorageSlice&) const = default;
};

struct StorageMap {
    std::vector<StorageAxis> axes;    // empty: in the order of the dimensions
    std::vector<StorageSlice> slices; // from the tensor's own to the outermost

    bool isRowMajor() const { return axes.empty() && slices.empty(); }
    bool operator==(const StorageMap&) const = default;
    std::string text(std::size_t rank) const; // "row-major", "d0 d2 d3 d1", "d0/32 d2 d3 d1 d0%32",
                                              // "d0 d2 d3 d1, d1 from 64 of 256"
};

StorageMap channelsLast(std::size_t rank); // d0 d2 .. dn d1
// True if the map permutes the elements of the tensor and adds no padding, so far as it is known.
bool isWhole(const StorageMap& map, const Shape& logical);
// Extents of the physical axes of the memory that the map leads to: of the outermost tensor.
Shape physicalShape(const StorageMap& map, const Shape& logical);
Expr storageSize(const StorageMap& map, const Shape& logical); // elements, padding included
Expr storageOffset(const StorageMap& map, const Shape& logical, const Exprs& indices);
// Logical dimensions from outermost to innermost, by their fastest-moving part.
std::vector<int> storageOrder(const StorageMap& map, std::size_t rank);

} // namespace fw
