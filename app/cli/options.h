// The rows of snapshot/commands.def as what the parser of the command line takes.
#pragma once

#include "snapshot/questions.h"

#include <CLI/CLI.hpp>

namespace fw::cli {

// What is typed goes into `asked`. Numbers are finite, and whole ones within the bounds of their
// row.
CLI::App* addCommand(CLI::App& program, const snapshot::CommandRow& row, snapshot::Asked& asked);

} // namespace fw::cli
