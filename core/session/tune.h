// Times of implementations beside each other: `fw tune`.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// As Arguments::kind: what is appended to the log is also told, as progress of this stage, to who
// asks from another machine.
inline constexpr const char* tellsRecords = "records";

// For every distinct workload of the plan with a choice (session/contests.h): the operators of its
// group as a graph of their own, planned, compiled and run once per implementation that can compute
// the anchor, in turn, those by a schedule also with other values of its knobs; what the
// implementation does not absorb is part of its time. Groups of fusion rules are also tried apart,
// and neighbours that should gain by it as one; where the log then groups operators in another way,
// what comes of it is measured, too. Where implementations differ in their outputs, those that
// compute something else than the reference are told, and not recorded. The records go to the end
// of `log`. A dimension that has a range (PipelineInputs::ranges) stays free: what depends on it is
// compiled once and measured at sizes of the range, at more of them where the fastest changes;
// other dimensions are known. Of those of other shards than `arguments.shard` none is measured.
Result<snapshot::TuneDocument> tuneModel(Pipeline& pipeline, const std::string& log,
                                         const snapshot::Arguments& arguments,
                                         const Context& context);

} // namespace fw
