#include "runtime/invalid_operations.h"

#include <xmmintrin.h>

namespace fw::runtime {

namespace {

constexpr unsigned invalid = _MM_EXCEPT_INVALID;

void clear(void*) {
    _mm_setcsr(_mm_getcsr() & ~invalid);
}

void look(void* raised) {
    if ((_mm_getcsr() & invalid) != 0)
        __atomic_store_n(static_cast<bool*>(raised), true, __ATOMIC_RELAXED);
}

#if defined(__SANITIZE_THREAD__)
constexpr bool serialBuild = true;
#else
constexpr bool serialBuild = false;
#endif

void onTeam(const OpenMp& openMp, int threads, void (*function)(void*), void* data) {
    if (threads < 2 || serialBuild || openMp.inParallel() != 0)
        function(data);
    else
        openMp.parallel(function, data, static_cast<unsigned>(threads), 0);
}

} // namespace

InvalidOperations::InvalidOperations(const OpenMp& openMp, int threads)
    : m_openMp(openMp), m_threads(threads), m_before((_mm_getcsr() & invalid) != 0) {
    onTeam(m_openMp, m_threads, clear, nullptr);
}

InvalidOperations::~InvalidOperations() {
    if (m_before)
        _mm_setcsr(_mm_getcsr() | invalid);
}

bool InvalidOperations::raised() const {
    bool out = false;
    onTeam(m_openMp, m_threads, look, &out);
    return out;
}

} // namespace fw::runtime
