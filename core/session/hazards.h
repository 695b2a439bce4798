// `lint`: what in a model stands in the way of running it, or of running it fast, and what to do
// about each: operators without code, numbers that are wider than the model's, nodes that nobody
// reads, sizes that are not known, elements that are moved about, quantisation that buys nothing.
#pragma once

#include "session/pipeline_store.h"
#include "snapshot/report_records.h"

namespace fw {

// Without a plan (nothing can be planned for the target) what the plan would tell is left out, and
// `planned` is false. Cancelled; errors of import and of rules.
Result<snapshot::LintDocument> lintOf(PipelineStore& store, const snapshot::Arguments& arguments,
                                      const Context& context);

} // namespace fw
