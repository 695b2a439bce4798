// What differs between two models, or between the plans of one model under two targets or two sets
// of books: `fw diff`. Plans are compared by snapshot/plan_changes.h, graphs by ir/diff.h.
#pragma once

#include "session/pipeline_store.h"
#include "snapshot/protocol.h"

namespace fw {

// The `side` of two models (`models`; `stage` says which graphs: imported, rewritten, or fused for
// their plans) or of one (`model`, or the only one of `models`) with two `targets` or with
// `versus`. Two documents of one model are two ways to plan it. Anything else is a Usage
// diagnostic. snapshot::compareSides makes an answer of both.
Result<snapshot::DiffSideDocument>
diffSide(PipelineStore& store, const snapshot::Arguments& arguments, const Context& context);

} // namespace fw
