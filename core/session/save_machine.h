// This machine as a file: `fw doctor --save FILE`.
#pragma once

#include "session/pipeline.h"

namespace fw {

// What is known of the machine, measured where it was not: its ceilings, what our code and every
// library reach, their levels. With a CPU that is named in the target the machine is measured as
// one that ends there. NotRunnable if that does not run here or is a file.
Status saveMachine(const Target& target, const std::string& file, const Context& context);

} // namespace fw
