// The implementations that could compute a group, each compiled by itself: what `fw tune` times,
// `fw verify` judges and `fw fuse --measure` compares.
#pragma once

#include "session/group_graph.h"
#include "session/judgement.h"
#include "session/pipeline.h"

namespace fw {

// Those that say ready, by the name that a pin would use; the chosen one is first.
std::vector<std::string> readyCandidates(const Group& group);

// `part` planned with one more pin, compiled and loaded.
Result<Apart> apartPinned(Pipeline& pipeline, const GraphPtr& part, const PinRule& pin,
                          const Context& context, const ApartRuns& runs = {});

// `part` with the node called `anchor` computed by `implementation`. NotRunnable with the reason if
// it is not chosen there, or if the library refused when the call was made; ScheduleIllegal if it
// has no code for the part; Internal if compiling it breaks an invariant.
Result<Apart> candidateApart(Pipeline& pipeline, const GraphPtr& part, const std::string& anchor,
                             const std::string& implementation, const std::string& by,
                             const Context& context, const ApartRuns& runs = {});

// The same for one thread and for two, ready to be judged.
Result<Trials> trialsOf(Pipeline& pipeline, const GraphPtr& part, const std::string& anchor,
                        const std::string& implementation, const Context& context);

} // namespace fw
