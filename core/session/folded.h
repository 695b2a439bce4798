// Constants that rewriting computed out of others, against code that shares nothing with what
// computed them.
#pragma once

#include "session/pipeline.h"
#include "snapshot/records.h"

namespace fw {

// Every operator that the applications turned into a constant, one after another, with the operands
// that it had then: the kept data and what machine code of ours computes from the same operands are
// both held against the bounds of tensor/bounded.h. A wrong constant is the same on every way that
// a group is judged, since each of them reads it; here it is not. Operators with the same
// attributes and types share a row, whose implementation is "fold_constants"; one that no code is
// made for is told in `notices`. Cancelled.
Result<std::vector<snapshot::VerifyRow>> verifyFolded(const GraphPtr& graph,
                                                      const std::vector<Application>& applications,
                                                      Pipeline& pipeline, const Context& context,
                                                      std::vector<std::string>& notices);

} // namespace fw
