// Whether an invalid operation of IEEE 754 happened in a thread that computes for a library: the
// sticky flag of MXCSR. A product or sum with a NaN does not raise it, a comparison that orders, and
// MAXPS and MINPS, do (Intel SDM, volume 1, 11.5.2.1): so it tells for nothing whether a maximum or
// a range was asked of a NaN.
#pragma once

#include "runtime/openmp.h"

namespace fw::runtime {

// Clears the flag of this thread and of those that the library's loops run on, and hands it back
// to this thread in the end if it was raised before.
class InvalidOperations {
public:
    InvalidOperations(const OpenMp& openMp, int threads);
    ~InvalidOperations();
    InvalidOperations(const InvalidOperations&) = delete;
    InvalidOperations& operator=(const InvalidOperations&) = delete;

    bool raised() const; // since, in any of them

private:
    const OpenMp& m_openMp;
    int m_threads;
    bool m_before;
};

} // namespace fw::runtime
