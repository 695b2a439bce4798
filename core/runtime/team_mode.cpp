#include "runtime/team_mode.h"

namespace fw::runtime {

TeamMode::TeamMode(const OpenMp* openMp, int threads, std::uint32_t controlWord)
    : m_openMp(openMp), m_controlWord(controlWord) {
    const int team = openMp ? teamFor(*openMp, threads) : 1;
    if (team < 2 || openMp->inParallel() != 0)
        return;
    m_before.resize(static_cast<std::size_t>(team));
    m_openMp->parallel(set, this, static_cast<unsigned>(team), 0);
}

TeamMode::~TeamMode() {
    if (m_changed)
        m_openMp->parallel(restore, this, static_cast<unsigned>(m_before.size()), 0);
}

void TeamMode::set(void* self) {
    auto& all = *static_cast<TeamMode*>(self);
    const auto thread = static_cast<std::size_t>(all.m_openMp->threadNumber());
    if (thread == 0 || thread >= all.m_before.size())
        return;
    all.m_before[thread] = FloatingPointWords::exchange(all.m_controlWord);
    if (!all.m_before[thread].isMode(all.m_controlWord))
        __atomic_store_n(&all.m_changed, true, __ATOMIC_RELAXED);
}

void TeamMode::restore(void* self) {
    const auto& all = *static_cast<TeamMode*>(self);
    const auto thread = static_cast<std::size_t>(all.m_openMp->threadNumber());
    if (thread > 0 && thread < all.m_before.size())
        all.m_before[thread].put();
}

} // namespace fw::runtime
