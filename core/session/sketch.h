// `fw sketch`: text made of operators of a model, with what it finds there and what to ask for
// less.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// Of arguments.nodes in the imported graph, or in stage "rewritten" ("fused" is another word for
// it); a call stands for what is inside it. Usage where no text can be made of them.
Result<snapshot::SketchDocument>
sketchModel(Pipeline& pipeline, const snapshot::Arguments& arguments, const Context& context);

} // namespace fw
