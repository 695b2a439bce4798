// `fw match`: what the rules, patterns and chains of books find in a model.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// The books of arguments.rules, or the simplifications of the library if there are none; one
// declaration if arguments.name is given. In the graph as imported, or of arguments.stage
// "rewritten". Books with mistakes: the valid declarations are tried, the mistakes are listed.
Result<snapshot::MatchDocument> matchModel(Pipeline& pipeline, const snapshot::Arguments& arguments,
                                           const Context& context);

} // namespace fw
