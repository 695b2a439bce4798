// Child processes without a shell: dot, cc. Started with posix_spawn, fed and read through pipes,
// killed with their whole process group when the time is up or the work is cancelled.
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <chrono>
#include <string>
#include <vector>

namespace fw {

struct ProcessRequest {
    std::vector<std::string>
        command;        // program (looked for in PATH unless it has a slash) and arguments
    std::string folder; // working directory; empty: ours
    std::string input;  // given to its standard input
    std::string temporaries = {}; // where it makes its temporary files; empty: where it likes
    bool inEnglish = false;       // its messages are looked at
    std::chrono::milliseconds timeout{60000};
    std::size_t outputLimit = std::size_t{64} << 20; // bytes kept of each stream; more is dropped
};

struct ProcessOutput {
    int exitCode = 0; // 128 + signal if a signal ended it
    std::string output;
    std::string errors;
};

// Any exit code is a success here: callers know what it means. FileMissing: the program cannot be
// started. LimitReached: it took longer than `timeout`. Cancelled.
Result<ProcessOutput> runProcess(const ProcessRequest& request, const CancelToken& cancel = {});

} // namespace fw
