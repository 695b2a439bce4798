// `fw draw`: the picture that the workbench shows, as a file.
#pragma once

#include "client.h"

namespace fw::cli {

// Without a stage: fused if the model can be planned, else imported. With a depth blocks are closed
// from this level on, 0 or more; without one all is open. Writes arguments.output.
Result<snapshot::DrawDocument> drawModel(Client& client, const snapshot::Arguments& arguments,
                                         std::optional<int> depth);

} // namespace fw::cli
