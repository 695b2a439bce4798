// How long this process waited for cores, by the kernel's count.
#pragma once

namespace fw {

// Seconds that the threads which live have been ready to run and were not run, so far; 0 where the
// kernel does not count.
double secondsWaitedForCores();

} // namespace fw
