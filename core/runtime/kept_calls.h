// Library calls of steps made ready for shapes, and the few last sets of them.
#pragma once

#include "runtime/prepared_call.h"

#include <memory>
#include <vector>

namespace fw::runtime {

struct CallSet { // of one choice of shapes
    std::vector<std::int64_t> symbols;
    std::int32_t threads = 1;
    std::vector<std::unique_ptr<PreparedCall>> byStep; // of the program; null: no call
    std::size_t scratch = 0;                           // bytes
};

class KeptCalls {
public:
    // The set of these shapes becomes the one in use; null: there is none.
    const CallSet* use(const std::vector<std::int64_t>& symbols, std::int32_t threads);
    void add(CallSet calls); // the one in use
    void clear() { m_sets.clear(); }

    const CallSet* inUse() const { return m_sets.empty() ? nullptr : &m_sets.front(); }

private:
    std::vector<CallSet> m_sets; // the one in use first
};

} // namespace fw::runtime
