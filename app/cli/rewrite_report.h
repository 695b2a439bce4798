// `fw rewrite --report`: what the rules did to a model, as one file to hand on.
#pragma once

#include "client.h"
#include "snapshot/documents.h"

namespace fw::cli {

// Asks for what is written, without output of its own, and writes `file`: .html has a picture of
// what every rule did first, .md has none. Needs nothing beside it; names of the model and of books
// stand in it as text only. Usage: another ending; FileUnwritable.
Result<snapshot::RewriteDocument> reportRewriting(Client& client,
                                                  const snapshot::Arguments& arguments,
                                                  const std::string& file,
                                                  const Client::ShowProgress& show);

} // namespace fw::cli
