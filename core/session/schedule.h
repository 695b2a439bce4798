// `fw schedule`: how an implementation computes a group, as steps and as loops, what begins a
// schedule of a book from that, and what other ways there are.
#pragma once

#include "session/pipeline.h"
#include "snapshot/schedule_records.h"

namespace fw {

// Of arguments.group by the implementation arguments.name, a candidate of the group; by what the
// plan chose if it is empty. One that has no code is no error: it is told why. UnknownName.
Result<snapshot::ScheduleDocument>
describeSchedule(Pipeline& pipeline, const snapshot::Arguments& arguments, const Context& context);

} // namespace fw
