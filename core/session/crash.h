// The last word of a worker that is killed by a signal: a progress line that names what was
// running, which the other side has in hand when it finds the worker dead.
#pragma once

#include <cstdint>

namespace fw {

// Handles SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT: writes to `descriptor`, then dies of the
// signal.
void installLastWord(int descriptor);

// The request being served, for the line; 0: none.
void setServing(std::int64_t request);

} // namespace fw
