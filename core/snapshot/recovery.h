// When a library needs another worker: what to decide so that the work can go on.
//
// A library takes its instruction set once per process, so a request for another one is asked again
// of a fresh worker. One that died while it was opened is switched off in the workers that follow.
// If it died otherwise, groups move: at the first death of a library it is avoided for the nodes
// that it was called for, at the second everywhere. Both are pins of the user's kind, so they are
// shown, saved and undone like those. The window and `fw` ask here, so both do the same.
#pragma once

#include "snapshot/inputs.h"
#include "snapshot/protocol.h"

namespace fw::snapshot {

// Whether to ask a fresh worker the same. `answered`: what this one answered before; the word of a
// fresh one is the answer.
bool needsFreshWorker(const Diag& error, std::int64_t answered);

// `last`: the last word of the worker. `now`: the pins it worked with. `how`: "signal 11". Nothing
// if no library was at work, or none of this helped before.
std::optional<Pin> pinAfterDeath(const Progress& last, const std::vector<Pin>& now,
                                 const std::string& how);

// The environment variable that, empty, keeps a worker from opening the library: nothing unless it
// died of that.
std::optional<std::string> variableAfterDeath(const Progress& last);

// "openblas is not used for dense_0 any more"
std::string afterDeathText(const Pin& pin);

} // namespace fw::snapshot
