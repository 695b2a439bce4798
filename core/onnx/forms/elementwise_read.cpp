// Elementwise operators.
#include "onnx/model/attributes.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/read/filled.h"
#include "onnx/read/importers.h"

namespace fw {

namespace {

// Nothing is dropped, and the mask says so.
Status dropout(NodeImport& n) {
    FW_CHECK(n.need(1, 3));
    FW_TRY(const bool isTest, n.flag("is_test", n.opset() >= 7));
    FW_TRY(const double fallback, n.real("ratio", 0.5));
    const auto ratio = n.has(1) ? n.scalar(1) : std::optional(fallback);
    const auto training = n.has(2) ? n.scalar(2) : std::optional(isTest ? 0.0 : 1.0);
    if (!(training && *training == 0) && !(ratio && *ratio == 0))
        return n.unsupported("training mode is not supported", "export the model for inference");
    FW_TRY(const ValueRef x, n.input(0));
    Attrs attrs;
    attrs.set("ratio", ratio.value_or(fallback));
    if (!n.outputUsed(1))
        return n.result("dropout", {x}, std::move(attrs));
    const DType dtype = n.opset() < 10 ? n.type(x).dtype : DType::Bool;
    FW_TRY(const ValueRef mask, filled(n, "mask", n.type(x).shape, dtype, 1));
    FW_CHECK(n.alias(1, mask));
    FW_TRY(const ValueRef y, n.step("dropout", {x}, std::move(attrs)));
    return n.alias(0, y);
}

} // namespace

std::span<const ImporterRow> elementwiseImporters() {
    static constexpr ImporterRow rows[] = {
        {"Dropout", 1, dropout},
    };
    return rows;
}

} // namespace fw
