#include "onnx/read/filled.h"

namespace fw {

Result<ValueRef> filled(NodeImport& node, const std::string& suffix, const Shape& shape,
                        DType dtype, double value) {
    if (const auto extents = fixedExtents(shape)) {
        FW_TRY(const std::int64_t count, checkedCount(*extents));
        if (count <= mostFilled)
            return node.addConstant(
                suffix,
                dataFromDoubles(dtype, *extents,
                                std::vector<double>(static_cast<std::size_t>(count), value)));
    }
    Attrs attrs;
    attrs.set("shape", shapeAttr(shape));
    attrs.set("value", dataFromDoubles(dtype, {1}, {value}));
    return node.step("constant_of_shape", {}, std::move(attrs));
}

} // namespace fw
