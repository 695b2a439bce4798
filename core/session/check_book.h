// `fw check`: what is wrong with a book, where, and what would mend it.
#pragma once

#include "session/book_texts.h"
#include "session/pipeline.h"

namespace fw {

// The first book of arguments.rules, with the others known to it. Every declaration with its
// verdict, and all that is wrong in order of the text. Cancelled.
Result<snapshot::CheckDocument> checkBook(const snapshot::Arguments& arguments,
                                          const Context& context = {});

// The graph of every rule that is refuted as `FOLDER/RULE.fw`, a model that can be run; told in
// CheckItem::saved. FileUnwritable.
Status saveCounterexamples(snapshot::CheckDocument& document, const std::string& folder);

} // namespace fw
