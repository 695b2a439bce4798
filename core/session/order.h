// Everything that the books declare, in the order in which the engine asks, and what it did.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// Rewrites the model, and plans it if that is possible: the counts are those of its plan.
Result<snapshot::OrderDocument>
describeOrder(Pipeline& pipeline, const snapshot::Arguments& arguments, const Context& context);

} // namespace fw
