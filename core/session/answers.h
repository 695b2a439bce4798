// What the worker answers: a function for each row of snapshot/commands.def, fuseCommand() of
// `fuse`. It may stand in any file of this folder.
#pragma once

#include "session/pipeline_store.h"
#include "snapshot/protocol.h"

namespace fw {

// Measured is a model without free dimensions: those that are left take the extents of the data.
Result<snapshot::Arguments>
withBoundDims(PipelineStore& store, const snapshot::Arguments& arguments, const Context& context);

#define FW_INNER(worker, Document, about)                                                          \
    Result<snapshot::Document> worker##Command(                                                    \
        PipelineStore& store, const snapshot::Arguments& arguments, const Context& context);
#define FW_COMMAND(name, worker, Document, traits, about, ...) FW_INNER(worker, Document, about)
#include "snapshot/commands.def"

} // namespace fw
