// Whether a library comes up where the memory of the process is limited (ulimit -v, -d). Some ask
// for their buffers again and again there, and neither come up nor give up, which nothing in the
// same process can end.
#pragma once

#include <string>

namespace fw {

// Empty: it does, or nothing is limited. Else why not. `start` opens the library; it is called in a
// child of this process, which ends after `seconds`.
std::string whyNotStarted(void (*start)(int), int argument, unsigned seconds = 5);

} // namespace fw
