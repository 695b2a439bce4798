// `fw mcp`: the commands of `fw` as tools for agents, by the Model Context Protocol. Standard input
// and output are the protocol's.
#pragma once

#include "base/result.h"
#include "snapshot/questions.h"

namespace fw::mcp {

// Until the agent ends its input. UnknownName where a command that shall be a tool is none;
// FileUnwritable where standard output cannot be written.
Result<int> serve(const snapshot::Asked& asked);

} // namespace fw::mcp
