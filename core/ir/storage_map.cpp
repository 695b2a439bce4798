#include "ir/storage_map.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

std::vector<StorageAxis> axesOf(const StorageMap& map, std::size_t rank) {
    if (!map.axes.empty())
        return map.axes;
    std::vector<StorageAxis> out;
    for (std::size_t i = 0; i < rank; ++i)
        out.push_back({static_cast<int>(i), 1, 0});
    return out;
}

} // namespace

std::string StorageMap::text(std::size_t rank) const {
    if (isRowMajor())
        return "row-major";
    std::string out;
    for (const StorageAxis& axis : axesOf(*this, rank)) {
        if (!out.empty())
            out += ' ';
        out += fmt::format("d{}", axis.dim);
        if (axis.div != 1)
            out += fmt::format("/{}", axis.div);
        if (axis.mod != 0)
            out += fmt::format("%{}", axis.mod);
    }
    for (const StorageSlice& slice : slices)
        out +=
            fmt::format(", d{} from {} of {}", slice.dim, slice.offset.text(), slice.extent.text());
    return out;
}

StorageMap channelsLast(std::size_t rank) {
    StorageMap out;
    out.axes.push_back({0, 1, 0});
    for (std::size_t i = 2; i < rank; ++i)
        out.axes.push_back({static_cast<int>(i), 1, 0});
    out.axes.push_back({1, 1, 0});
    return out;
}

Shape physicalShape(const StorageMap& map, const Shape& own) {
    Shape out, logical = own;
    for (const StorageSlice& slice : map.slices)
        logical[static_cast<std::size_t>(slice.dim)] = slice.extent;
    for (const StorageAxis& axis : axesOf(map, logical.size())) {
        const Dim& extent = logical[static_cast<std::size_t>(axis.dim)];
        if (axis.mod != 0)
            out.emplace_back(axis.mod);
        else
            out.push_back(axis.div == 1 ? extent : ceilDivExpr(extent, Expr(axis.div)));
    }
    return out;
}

bool isWhole(const StorageMap& map, const Shape& logical) {
    return map.slices.empty() &&
           std::all_of(map.axes.begin(), map.axes.end(), [&](const StorageAxis& axis) {
               const auto extent = logical[static_cast<std::size_t>(axis.dim)].asInt();
               return axis.mod == 0 || (extent && *extent % axis.mod == 0);
           });
}

Expr storageSize(const StorageMap& map, const Shape& logical) {
    return elementCount(physicalShape(map, logical));
}

Expr storageOffset(const StorageMap& map, const Shape& logical, const Exprs& indices) {
    const Shape physical = physicalShape(map, logical);
    const std::vector<StorageAxis> axes = axesOf(map, logical.size());
    Expr offset(0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        Expr index = indices[static_cast<std::size_t>(axes[i].dim)];
        for (const StorageSlice& slice : map.slices)
            if (slice.dim == axes[i].dim)
                index = index + slice.offset;
        if (axes[i].div != 1)
            index = floorDivExpr(index, Expr(axes[i].div));
        if (axes[i].mod != 0)
            index = modExpr(index, Expr(axes[i].mod));
        offset = offset * physical[i] + index;
    }
    return offset;
}

std::vector<int> storageOrder(const StorageMap& map, std::size_t rank) {
    std::vector<int> out;
    const std::vector<StorageAxis> axes = axesOf(map, rank);
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
        if (std::find(out.begin(), out.end(), axis->dim) == out.end())
            out.push_back(axis->dim);
    std::reverse(out.begin(), out.end());
    return out;
}

} // namespace fw
