// Where the weights of a model lie that are not in its file.
#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace fw {

// Each file once, relative to the folder of the model, as the model says it. NotOnnx and the like
// if it cannot be read.
Result<std::vector<std::string>> externalFiles(const std::string& model);

} // namespace fw
