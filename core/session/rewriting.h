// What rules did to a model, as documents.
#pragma once

#include "rewrite/history.h"
#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// Writes what the arguments name: the rewritten graph, and a line for each application. Lists the
// first arguments.limit applications, 10000 without one.
Result<snapshot::RewriteDocument> describeRewrite(const Imported& imported,
                                                  const Simplified& simplified,
                                                  const snapshot::Arguments& arguments);

// The graph behind the first arguments.application applications; a Usage diagnostic if there are
// fewer.
Result<GraphPtr> behindApplication(const Imported& imported, const Simplified& simplified,
                                   const snapshot::Arguments& arguments);

// A notice for each refuted rule that acted, for documents that tell no other decision.
std::vector<std::string> refutedNotices(const Simplified& simplified);

std::vector<snapshot::RewrittenNode> rewrittenNodes(const std::vector<NodePtr>& nodes);

// The next application; goes behind it.
snapshot::ApplicationRecord describeNext(RewriteHistory& history, const RewriteTrace& trace);

} // namespace fw
