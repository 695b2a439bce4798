#include "runtime/kept_calls.h"

#include <algorithm>

namespace fw::runtime {

namespace {

constexpr std::size_t most = 4;

} // namespace

const CallSet* KeptCalls::use(const std::vector<std::int64_t>& symbols, std::int32_t threads) {
    const auto found = std::find_if(m_sets.begin(), m_sets.end(), [&](const CallSet& one) {
        return one.symbols == symbols && one.threads == threads;
    });
    if (found == m_sets.end())
        return nullptr;
    std::rotate(m_sets.begin(), found, found + 1);
    return &m_sets.front();
}

void KeptCalls::add(CallSet calls) {
    if (m_sets.size() >= most)
        m_sets.pop_back();
    m_sets.insert(m_sets.begin(), std::move(calls));
}

} // namespace fw::runtime
