// Rules that acted on a model and are refuted.
#pragma once

#include "base/cancel.h"
#include "session/book_texts.h"

namespace fw {

// A decision for each rule of the user's books that acted and is meant to change what the model
// computes (RuleChanges), or is refuted (RuleRefuted). What small
// graphs say of a rule is remembered by its text, also from process to process (in the folder of
// caches): without that a rule takes up to a second.
Decisions refutedRules(const Books& books, const RewriteTrace& trace, const CancelToken& cancel);

} // namespace fw
