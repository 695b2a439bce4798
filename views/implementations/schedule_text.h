// What is known of an implementation's schedule, in words.
#pragma once

#include "snapshot/schedule_records.h"

#include <QString>

namespace fw::ui {

QString heldText(const snapshot::HeldRecord& held);
QString loopText(
    const snapshot::LoopRow& row); // "parallel no in 14", "t0: f32[224], 896 B, a ring of rows"
QString loopTip(const snapshot::LoopRow& row);

// Lines of text in columns, for a font of one width; empty where there is nothing to say.
QString conflictLines(const snapshot::ScheduleDocument& schedule);
QString branchLines(const snapshot::ScheduleDocument& schedule);
QString wayLines(const snapshot::ScheduleDocument& schedule);

} // namespace fw::ui
