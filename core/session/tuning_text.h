// Records of a tuning log as they are appended: lines, each with its end.
#pragma once

#include "session/tuning_log.h"

namespace fw {

std::string tuningText(const std::vector<TuningRecord>& records);

} // namespace fw
