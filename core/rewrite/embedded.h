// The rule books of resources/library, part of the program (embedded.S).
#pragma once

#include <string_view>
#include <vector>

namespace fw {

struct EmbeddedRules {
    std::string_view file; // "simplify.fw"
    std::string_view text;
};

// In the order in which their rules run.
std::vector<EmbeddedRules> embeddedRules();

// Those that run only where they are named, as books of the user's.
std::vector<EmbeddedRules> embeddedByName();

} // namespace fw
