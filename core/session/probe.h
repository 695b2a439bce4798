// `probe`: how one operator of a model fits a declaration of a book, clause by clause.
#pragma once

#include "session/pipeline.h"
#include "snapshot/authoring_records.h"
#include "snapshot/protocol.h"

namespace fw {

// The declaration of arguments.rules at arguments.position, or named arguments.name; the operator
// arguments.nodes[0], of the imported graph for a rule, else of the rewritten one. UnknownName.
Result<snapshot::ProbeDocument> probeModel(Pipeline& pipeline, const snapshot::Arguments& arguments,
                                           const Context& context);

} // namespace fw
