// Which application of a rule first broke a model: `fw bisect`.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// The model is computed behind as many applications as it takes to find two states, one
// application apart, of which the first has the outputs of the imported model and the second has
// not, within arguments.rtol and atol. An application that is meant to change outputs begins anew:
// what follows it is held against what it gave. The operands are those of `fw run`. With a folder
// in arguments.output, what the application matched is written there as a model of its own. With
// arguments.each the model is computed behind every application of a rule (not of a built-in
// rewrite), and each error is told.
Result<snapshot::BisectDocument>
bisectModel(Pipeline& pipeline, const snapshot::Arguments& arguments, const Context& context);

} // namespace fw
