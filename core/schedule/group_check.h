// What no single step of a schedule can see.
#pragma once

#include "schedule/apply.h"

namespace fw {

// Of a group to which all steps were applied; ScheduleIllegal, by the step that is to blame.
Status checkGroup(const ScheduledGroup& group, const Schedule& schedule);

} // namespace fw
