// Processor time of the calling thread, which does not depend on what else the machine does.
#pragma once

#include <ctime>

namespace fw::test {

inline double threadSeconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

} // namespace fw::test
