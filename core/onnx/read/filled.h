// Tensors that an importer makes.
#pragma once

#include "onnx/read/node_import.h"

namespace fw {

// Elements that are filled in while a model is read; a small file must not make a large one.
constexpr std::int64_t mostFilled = 1 << 16;

// One value everywhere: a constant, or a node where the shape is free or large.
Result<ValueRef> filled(NodeImport& node, const std::string& suffix, const Shape& shape,
                        DType dtype, double value);

} // namespace fw
