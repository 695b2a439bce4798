// One run of a child process that reads a text and writes a text: posix_spawn, no shell, its
// standard error thrown away. It is killed when the limit passes or the caller cancels; nothing of
// it stays behind.
#pragma once

#include "base/cancel.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace fw::picture {

enum class ChildEnd : std::uint8_t {
    Finished,
    Missing,
    Failed,
    TimedOut,
    Cancelled,
    TooMuchOutput
};

struct ChildResult {
    ChildEnd end = ChildEnd::Failed;
    std::string output; // only when finished
    std::string reason; // a clause for people when not
};

// `program` is searched in PATH unless it holds a slash.
ChildResult runChild(const std::string& program, const std::vector<std::string>& arguments,
                     const std::string& input, std::chrono::milliseconds limit,
                     const CancelToken& cancel);

} // namespace fw::picture
