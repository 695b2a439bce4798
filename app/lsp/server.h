// `fw lsp`: books in any editor that speaks the Language Server Protocol 3.17, by the same records
// as in the window. Standard input and output are the protocol's.
#pragma once

#include "base/result.h"
#include "snapshot/arguments.h"

namespace fw::lsp {

// Until the editor ends it. `always`: books that are read beside those that are open, and a model
// whose operators come first. The exit code, as the protocol says: 0 behind a shutdown, else 1;
// FileUnwritable where standard output cannot be written.
Result<int> serve(const snapshot::Arguments& always);

} // namespace fw::lsp
