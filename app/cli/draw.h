// `fw draw`: the picture that the workbench shows, as a file.
#pragma once

#include "client.h"

#include "snapshot/questions.h"

namespace fw::cli {

// Without a stage: fused if the model can be planned, else imported. With a depth blocks are closed
// from this level on, 0 or more; without one all is open. Writes its output.
Result<snapshot::DrawDocument> drawModel(Client& client, const snapshot::Asked& asked);

} // namespace fw::cli
