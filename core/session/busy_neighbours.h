// Processes that do nothing but keep cores busy, to measure beside them.
#pragma once

#include "base/result.h"

#include <sys/types.h>
#include <vector>

namespace fw {

class BusyNeighbours {
public:
    BusyNeighbours() = default;
    // They end with this object, and with this process however it ends.
    ~BusyNeighbours();
    BusyNeighbours(const BusyNeighbours&) = delete;
    BusyNeighbours& operator=(const BusyNeighbours&) = delete;

    // `count` more of them; LimitReached if the system starts no more processes.
    Status start(int count);
    const std::vector<pid_t>& pids() const { return m_pids; }

private:
    std::vector<pid_t> m_pids;
};

} // namespace fw
