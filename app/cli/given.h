// What options give by name: --input, --dim, --type and --set.
#pragma once

#include "base/result.h"
#include "snapshot/questions.h"

namespace fw::cli {

// Usage where one is not understood, or two say something of the same name.
Status takeGiven(snapshot::Asked& asked);

} // namespace fw::cli
