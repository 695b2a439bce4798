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

// The target with the machine of a file, --machine FILE, for its CPU. Usage where it says a CPU, or
// the name of the file cannot stand in a target.
Result<std::string> onMachine(const std::string& target, std::string file);

} // namespace fw::cli
