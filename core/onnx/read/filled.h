// Tensors that an importer makes.
#pragma once

#include "onnx/read/node_import.h"

namespace fw {

// One value everywhere: a constant, or a node where the shape is free or large.
Result<ValueRef> filled(NodeImport& node, const std::string& suffix, const Shape& shape,
                        DType dtype, double value);

} // namespace fw
