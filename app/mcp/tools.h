// Tools of the Model Context Protocol, made of the rows of commands.def: each command is one, its
// operands and options are its arguments.
#pragma once

#include "app/rpc/message.h"
#include "snapshot/questions.h"

#include <string>
#include <vector>

namespace fw::mcp {

using rpc::Json;

using Tools = std::vector<const snapshot::CommandRow*>;

// Those of these names, or all. UnknownName where one is no command that answers with a document.
Result<Tools> toolsNamed(const std::vector<std::string>& names);
const snapshot::CommandRow* find(const Tools& tools, std::string_view name); // nullptr: it is none

Json listOf(const Tools& tools); // as `tools/list` answers it

// The words behind `fw` that ask the same. Usage names the argument that is unknown or of another
// type, LibraryNotAgreed a library of a book. Values are checked by `fw`, as those that are typed.
Result<std::vector<std::string>> wordsOf(const snapshot::CommandRow& tool, const Json& arguments);

} // namespace fw::mcp
