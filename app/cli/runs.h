// What each command of `fw` does: most ask the worker and show what it answers.
#pragma once

#include "client.h"

#include "snapshot/questions.h"

#include <functional>

namespace fw::cli {

// Gives the exit code.
using Run = std::function<int(Client&, const snapshot::Asked&)>;

Run runOf(const snapshot::CommandRow& row);

// `fw help`: `list` is its text for people.
int runHelp(const snapshot::Asked& asked, const std::function<std::string()>& list);

} // namespace fw::cli
