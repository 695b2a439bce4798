// What rules did to a model, as documents.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// Writes what the arguments name: the rewritten graph, and a line for each application. Lists the
// first arguments.limit applications, 10000 without one.
Result<snapshot::RewriteDocument> describeRewrite(const Imported& imported,
                                                  const Simplified& simplified,
                                                  const snapshot::Arguments& arguments);

} // namespace fw
