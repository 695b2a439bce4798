// What options give by name: --input, --dim and --type.
#pragma once

#include "base/result.h"
#include "snapshot/protocol.h"

#include <string>
#include <utility>
#include <vector>

namespace fw::cli {

struct GivenTexts {
    std::vector<std::string> inputs; // "rate=16000", "x=image.npy"
    std::vector<std::string> dims;   // "N=4", "N=1..8"
    std::vector<std::string> types;  // "x=f32[N, 4]"
};

// Usage where one is not understood, or two say something of the same name.
Status takeGiven(const GivenTexts& texts, snapshot::Arguments& out);

Result<std::pair<std::string, std::string>> splitPair(const std::string& text,
                                                      const std::string& option);

} // namespace fw::cli
