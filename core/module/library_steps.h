// Calls of libraries as they stand in a program.
#pragma once

#include "extern/call.h"
#include "fusion/group.h"
#include "module/program_tensors.h"

#include <map>
#include <string>

namespace fw {

runtime::LibraryCall libraryCallOf(ProgramTensors& tensors, const ExternStep& part);
Expr movedBy(const ProgramTensors& tensors, const ExternStep& part); // bytes, of a reorder
// `between`: what lies between the steps of the group so far.
runtime::TensorId memoryOf(ProgramTensors& tensors, const Graph& graph,
                           const ExternOperand& operand, const Group& group,
                           std::map<std::string, runtime::TensorId>& between);

} // namespace fw
