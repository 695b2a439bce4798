// Implementations against the reference, group by group: `fw verify`.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// For every distinct group of the plan every implementation that says ready and that a pin could
// choose: compiled alone for one thread and for two, and run on integers, on random values and on
// random values with NaN among them, at the sizes of session/judgement.h, twice each, in memory
// that is filled with NaN before. The results are held against the bounds of tensor/bounded.h. One
// that differs gets the smallest graph that shows it, in the folder `arguments.output` (empty: none
// is written). Behind them stand the constants that rewriting computed (session/folded.h).
Result<snapshot::VerifyModel> verifyModel(Pipeline& pipeline, const snapshot::Arguments& arguments,
                                          const Context& context);

} // namespace fw
