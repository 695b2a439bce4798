// The texts that the results of stages are kept by: whatever decides about one stands in its key.
#pragma once

#include "session/pipeline.h"

#include <string>

namespace fw {

std::string stampOf(const std::string& file);      // another one when its size or time changed
std::string modelFileOf(const std::string& model); // model.onnx inside a folder

// `model`: its file and what state of it is meant.
std::string importKey(const PipelineInputs& inputs, const std::string& model, const Books& books);
std::string rulesKey(const PipelineInputs& inputs, const Books& books);
bool asksTarget(const Books& books); // a rule's condition
// A plan cites the places of what decided, so these belong to it.
std::string planTexts(const Books& books);

} // namespace fw
