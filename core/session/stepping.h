// `step`: the applications of rules one by one, as a debugger shows the lines of a program.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"
#include "snapshot/step_records.h"

namespace fw {

// Application number arguments.application (from 1), or, with arguments.until, the first one behind
// it at which one of these stops (session/stops.h). None does: the last one. Drawn is what lies
// within arguments.around operators of the match. With arguments.choice what competes for its
// operators is shown as if it were done, with what has to be left out for that. Takes the time of
// the graph and of the applications up to there. Usage, UnknownName.
Result<snapshot::StepDocument> stepModel(Pipeline& pipeline, const snapshot::Arguments& arguments,
                                         const Context& context);

} // namespace fw
