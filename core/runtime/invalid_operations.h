// Whether an invalid operation of IEEE 754 happened in a thread that computes for a library: the
// sticky flag of MXCSR. A product or sum with a NaN does not raise it, a comparison that orders,
// and MAXPS and MINPS, do (Intel SDM, volume 1, 11.5.2.1): so it tells for nothing whether a
// maximum or a range was asked of a NaN.
#pragma once

#include "runtime/openmp.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fw::runtime {

// While it watches, this thread and those that the library's loops run on have the control word of
// this one, no flags, and invalid operations do not trap; afterwards each has the word that it had.
class InvalidOperations {
public:
    InvalidOperations(const OpenMp& openMp, int threads);
    ~InvalidOperations();
    InvalidOperations(const InvalidOperations&) = delete;
    InvalidOperations& operator=(const InvalidOperations&) = delete;

    bool raised(); // in any of them; ends the watch

private:
    void onTeam(void (*function)(void*));
    void end();
    std::uint32_t& wordOfThisThread(); // of m_words
    static void begin(void* self);
    static void finish(void* self);

    const OpenMp& m_openMp;
    std::vector<std::uint32_t> m_words; // by number in the team: MXCSR as it was
    std::uint32_t m_word;               // of this thread, without its flags
    bool m_raised = false;
    bool m_ended = false;
};

} // namespace fw::runtime
