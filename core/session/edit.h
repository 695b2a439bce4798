// `fw sketch --edit`: a rule that changes one operator of a model. It is tried before it is given:
// what is refused has a code of its own (EDT01 and following).
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// Of one of arguments.nodes: an operator of the model as it was read and as the edits of the books
// leave it, or one of stage "rewritten" that came of it.
Result<snapshot::SketchDocument> editModel(Pipeline& pipeline, const snapshot::Arguments& arguments,
                                           const Context& context);

} // namespace fw
