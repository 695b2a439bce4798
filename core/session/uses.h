// `uses`: who makes use of a declaration: other text that names it, and what came of it in the
// model, so that one description of what a library takes can be followed to its calls.
#pragma once

#include "session/pipeline_store.h"
#include "snapshot/authoring_records.h"
#include "snapshot/protocol.h"

namespace fw {

// Of what is declared by the word at arguments.position, else of the declaration there (column 0:
// of that on the line); or of what is named arguments.name, which may be a place, too: "my.fw:12".
// Without a model: the text alone.
Result<snapshot::UsesDocument> usesOf(PipelineStore& store, const snapshot::Arguments& arguments,
                                      const Context& context);

} // namespace fw
