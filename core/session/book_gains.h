// What each book of rules won on a model: `fw rules MODEL --won`.
#pragma once

#include "session/pipeline_store.h"
#include "snapshot/protocol.h"

namespace fw {

// Plans once more without each book of which a rule acted, and adds what is known then.
Status tellGains(PipelineStore& store, const snapshot::Arguments& arguments, const Context& context,
                 snapshot::OrderDocument& out);

} // namespace fw
