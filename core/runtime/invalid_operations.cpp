#include "runtime/invalid_operations.h"

#include <xmmintrin.h>

namespace fw::runtime {

namespace {

constexpr unsigned invalid = _MM_EXCEPT_INVALID;

#if defined(__SANITIZE_THREAD__)
constexpr bool serialBuild = true;
#else
constexpr bool serialBuild = false;
#endif

} // namespace

InvalidOperations::InvalidOperations(const OpenMp& openMp, int threads)
    : m_openMp(openMp), m_words(static_cast<std::size_t>(teamFor(openMp, threads))),
      m_word(_mm_getcsr() & ~_MM_EXCEPT_MASK) {
    onTeam(begin);
}

InvalidOperations::~InvalidOperations() {
    end();
}

bool InvalidOperations::raised() {
    end();
    return m_raised;
}

void InvalidOperations::end() {
    if (!m_ended)
        onTeam(finish);
    m_ended = true;
}

void InvalidOperations::onTeam(void (*function)(void*)) {
    if (m_words.size() < 2 || serialBuild || m_openMp.inParallel() != 0)
        function(this);
    else
        m_openMp.parallel(function, this, static_cast<unsigned>(m_words.size()), 0);
}

std::uint32_t& InvalidOperations::wordOfThisThread() {
    const std::size_t thread =
        m_words.size() < 2 || serialBuild ? 0 : static_cast<std::size_t>(m_openMp.threadNumber());
    return m_words[thread < m_words.size() ? thread : 0];
}

void InvalidOperations::begin(void* self) {
    auto& all = *static_cast<InvalidOperations*>(self);
    all.wordOfThisThread() = _mm_getcsr();
    _mm_setcsr(all.m_word | _MM_MASK_INVALID);
}

void InvalidOperations::finish(void* self) {
    auto& all = *static_cast<InvalidOperations*>(self);
    if ((_mm_getcsr() & invalid) != 0)
        __atomic_store_n(&all.m_raised, true, __ATOMIC_RELAXED);
    _mm_setcsr(all.wordOfThisThread());
}

} // namespace fw::runtime
