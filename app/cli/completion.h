// What a system is told of `fw`: the words that a shell completes, and the manual page.
#pragma once

#include "snapshot/help_records.h"

#include <string>
#include <string_view>

namespace fw::cli {

std::string bashCompletion(const snapshot::HelpDocument& program);
std::string fishCompletion(const snapshot::HelpDocument& program);
std::string zshCompletion(const snapshot::HelpDocument& program);
std::string manualPage(const snapshot::HelpDocument& program); // fw(1), in the macros of man(7)

} // namespace fw::cli
