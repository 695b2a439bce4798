// What is shown of the way from the model to the machine code, and what leaves it: text, modules.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// graph, rewritten, fused, partitioned: of the model; tensor, schedule, loops, llvm, asm: of one
// group, or of all.
Result<snapshot::StagesDocument> stageText(Pipeline& pipeline, const snapshot::Arguments& arguments,
                                           const Context& context);

Result<snapshot::ExportDocument> exportTo(Pipeline& pipeline, const snapshot::Arguments& arguments,
                                          const Context& context);

} // namespace fw
