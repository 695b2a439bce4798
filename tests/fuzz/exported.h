// A compiled module written to files, loaded from them and run through its C interface.
#pragma once

#include "ir/tensor_data.h"
#include "module/compile.h"

namespace fw::fuzz {

// Writes into `folder`, under a name that no earlier module of this process has.
Result<std::vector<TensorData>> runExported(const CompiledModule& module, const std::string& folder,
                                            const std::vector<TensorData>& inputs);

} // namespace fw::fuzz
