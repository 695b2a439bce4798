// Sizes that a model computes, as free dimensions.
#include "onnx/read/importers.h"
#include "onnx/schema/own.h"

namespace fw {

namespace {

Status bindDims(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const auto names, n.texts("dims"));
    FW_TRY(const ValueRef sizes, n.input(0));
    if (!names || names->empty())
        return n.malformed("has no names of dimensions");
    return n.resultBound(sizes, *names);
}

} // namespace

std::span<const ImporterRow> runningImporters() {
    static constexpr ImporterRow rows[] = {
        {"BindDims", 1, bindDims, ownDomain},
    };
    return rows;
}

} // namespace fw
