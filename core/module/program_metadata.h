// What a program says of the model and the plan that it was made of.
#pragma once

#include "fusion/group.h"
#include "runtime/program.h"

#include <string>

namespace fw {

std::string metadataText(const runtime::Program& program, const Graph& graph,
                         const FusionPlan& plan); // JSON

} // namespace fw
