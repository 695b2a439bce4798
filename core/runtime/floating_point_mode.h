// How a thread rounds, traps and keeps denormals while it runs kernels.
#pragma once

#include <cstdint>

namespace fw::runtime {

// The floating-point mode of kernels: round to nearest, no traps, denormals kept or flushed.
constexpr std::uint32_t keepDenormalsWord = 0x1f80;
constexpr std::uint32_t flushDenormalsWord = 0x1f80 | 0x8000 | 0x0040;

// The mode of a thread: MXCSR, and the environment of the x87 unit, which long double uses and of
// which fegetround() tells. The latter is read and written only where it is not the usual one.
struct FloatingPointWords {
    std::uint32_t mxcsr = keepDenormalsWord;
    std::uint16_t x87[14] = {0x037f};

    static FloatingPointWords exchange(std::uint32_t controlWord); // gives what was before
    void put() const;
    bool isMode(std::uint32_t controlWord) const; // flags aside
};

// Sets the mode of this thread and restores what the caller had.
class FloatingPointMode {
public:
    explicit FloatingPointMode(std::uint32_t controlWord);
    ~FloatingPointMode();
    FloatingPointMode(const FloatingPointMode&) = delete;
    FloatingPointMode& operator=(const FloatingPointMode&) = delete;

private:
    FloatingPointWords m_saved;
    bool m_isOutermost;
};

// Brings back what was before the outermost FloatingPointMode of this thread: threads that are
// started inherit it.
class CallersMode {
public:
    CallersMode();
    ~CallersMode();
    CallersMode(const CallersMode&) = delete;
    CallersMode& operator=(const CallersMode&) = delete;

private:
    bool m_changes;
    FloatingPointWords m_saved;
};

} // namespace fw::runtime
