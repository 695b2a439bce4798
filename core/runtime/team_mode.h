// The floating-point mode of the threads that a library's loops run on: those of a team have the
// mode in which somebody started them, which need not be that of kernels.
#pragma once

#include "runtime/parallel.h"

#include <vector>

namespace fw::runtime {

// While it lives, the team of this thread has the mode; afterwards each thread has what it had.
// `openMp` may be null: then there is no team.
class TeamMode {
public:
    TeamMode(const OpenMp* openMp, int threads, std::uint32_t controlWord);
    ~TeamMode();
    TeamMode(const TeamMode&) = delete;
    TeamMode& operator=(const TeamMode&) = delete;

private:
    static void set(void* self);
    static void restore(void* self);

    const OpenMp* m_openMp;
    std::uint32_t m_controlWord;
    std::vector<FloatingPointWords> m_before; // by number in the team, without that of this thread
    bool m_changed = false;
};

} // namespace fw::runtime
