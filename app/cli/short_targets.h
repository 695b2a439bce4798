// `-libs=X` on the command line: a short target, or the value of --target. The option parser would
// read it as flags.
#pragma once

#include "snapshot/protocol.h"

#include <string>
#include <vector>

namespace fw::cli {

// With whole targets in their places; refused beside --target, of which it is a part.
Result<std::vector<std::string>> withShortTargets(std::vector<std::string> arguments);

// What the user wrote behind -libs=: to write a name is to agree that it is loaded.
std::vector<std::string> librariesNamed(const snapshot::Arguments& arguments);

} // namespace fw::cli
