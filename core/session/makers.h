// Who computes what, as records say it.
#pragma once

#include "fusion/plan.h"
#include "runtime/program.h"
#include "snapshot/records.h"

namespace fw {

snapshot::MakerRecord makerOf(const Group& group);
snapshot::MakerRecord makerOf(const Candidate& candidate);
snapshot::MakerRecord makerOf(const runtime::Program& program, const runtime::Step& step);

} // namespace fw
