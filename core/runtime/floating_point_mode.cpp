#include "runtime/floating_point_mode.h"

#include <xmmintrin.h>

namespace fw::runtime {

namespace {

constexpr std::uint16_t usualX87 = 0x037f; // to nearest, 64 bits, no traps

// The outermost mode of this thread: what the caller had.
thread_local const FloatingPointWords* callersWords = nullptr;

} // namespace

FloatingPointWords FloatingPointWords::exchange(std::uint32_t controlWord) {
    FloatingPointWords before;
    before.mxcsr = _mm_getcsr();
    _mm_setcsr(controlWord);
    asm volatile("fnstcw %0" : "=m"(before.x87[0]));
    if (before.x87[0] != usualX87) {
        asm volatile("fnstenv %0" : "=m"(before.x87)); // ends traps that are pending
        asm volatile("fldcw %0" : : "m"(usualX87));
    }
    return before;
}

void FloatingPointWords::put() const {
    _mm_setcsr(mxcsr);
    if (x87[0] != usualX87)
        asm volatile("fldenv %0" : : "m"(x87));
}

bool FloatingPointWords::isMode(std::uint32_t controlWord) const {
    constexpr std::uint32_t flags = _MM_EXCEPT_MASK;
    return (mxcsr & ~flags) == (controlWord & ~flags) && x87[0] == usualX87;
}

FloatingPointMode::FloatingPointMode(std::uint32_t controlWord)
    : m_saved(FloatingPointWords::exchange(controlWord)), m_isOutermost(callersWords == nullptr) {
    if (m_isOutermost)
        callersWords = &m_saved;
}

FloatingPointMode::~FloatingPointMode() {
    if (m_isOutermost)
        callersWords = nullptr;
    m_saved.put();
}

CallersMode::CallersMode() : m_changes(callersWords != nullptr) {
    if (!m_changes)
        return;
    m_saved = FloatingPointWords::exchange(callersWords->mxcsr);
    callersWords->put();
}

CallersMode::~CallersMode() {
    if (m_changes)
        FloatingPointWords::exchange(m_saved.mxcsr);
}

} // namespace fw::runtime
