// What `fw tune` measures of a plan: its distinct workloads, and of each what may compute it, in
// the order in which it is worth a try.
#pragma once

#include "session/pipeline.h"
#include "session/tuning_log.h"

#include <set>

namespace fw {

struct Contest {
    const Group* group = nullptr;
    // Of two neighbours: the one behind, which may be computed with it or apart. Else null.
    const Group* next = nullptr;
    std::string name;              // of the group, or of both
    std::string workload;          // of all operators
    std::int64_t count = 1;        // groups with it
    std::string dim;               // free, with a range; empty: none
    std::vector<std::string> ways; // implementations, or apartFromEachOther; the chosen one first
};

// In the order of the groups. One whose sizes are free in another way than along one dimension of
// `ranged` is told and left out. Behind the chosen implementation come those that records of other
// machines name, the fastest there first, then the others by their estimates. Neighbours are a
// contest of their own where the estimates say that they gain by being one.
Result<std::vector<Contest>> contestsOf(Pipeline& pipeline, const std::set<Symbol>& ranged,
                                        const std::vector<TuningRecord>& records,
                                        std::vector<std::string>& notices, const Context& context);

// `part` as the plan has it where its operators are not held together; refused if that is one
// group.
Result<Apart> plannedApart(Pipeline& pipeline, const GraphPtr& part, const Context& context,
                           const ApartRuns& runs);
// `part` with the operators of both groups of the contest as one, by `way`; refused if it is not.
Result<Apart> plannedTogether(Pipeline& pipeline, const GraphPtr& part, const Graph& graph,
                              const Contest& contest, const std::string& way,
                              const Context& context, const ApartRuns& runs);

} // namespace fw
