#include "tensor/stage_box.h"

namespace fw {

std::vector<std::int64_t> StageBox::spaceExtents() const {
    return {extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(space)};
}

std::vector<std::int64_t> StageBox::reduceExtents() const {
    return {extents.begin() + static_cast<std::ptrdiff_t>(space), extents.end()};
}

Result<StageBox> boxOf(const Stage& stage, const Bindings& dims) {
    StageBox out;
    out.space = stage.space.size();
    for (const auto* axes : {&stage.space, &stage.reduce})
        for (const Axis& axis : *axes) {
            FW_TRY(const std::int64_t extent, extentOf(axis.extent, dims));
            out.variables.push_back(axis.var);
            out.extents.push_back(extent);
        }
    return out;
}

} // namespace fw
