// `assist`: what an editor shows at a place of a book.
#pragma once

#include "session/pipeline_store.h"
#include "snapshot/protocol.h"

namespace fw {

// At arguments.position, of a book of arguments.rules or a shipped one. The model is not asked for
// if there is none, or if it cannot be read.
Result<snapshot::AssistDocument>
assistAt(PipelineStore& store, const snapshot::Arguments& arguments, const Context& context);

} // namespace fw
