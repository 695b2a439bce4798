// The ways to compute what a fusion rule covers, beside each other: every operator as it would be
// without the rule, all of them with nests one behind the other, and nests inside each other.
#pragma once

#include "session/pipeline.h"
#include "snapshot/schedule_records.h"

namespace fw {

// Nothing of a group that no fusion rule made.
Result<std::vector<snapshot::WayOfGroup>> waysOf(Pipeline& pipeline, const Group& group,
                                                 const Context& context);

// The code that an implementation makes of a group, from the memo of the pipeline.
Result<Lowering> codeBy(Pipeline& pipeline, const Implementation& by, const Group& group,
                        const Context& context);

// Bytes that pass between memory and the code of the group: operands, results, and what is written
// in between and read again. nullopt: sizes are free.
std::optional<double> bytesBeside(const Graph& graph, const Group& group,
                                  const std::optional<snapshot::HeldRecord>& held);

} // namespace fw
