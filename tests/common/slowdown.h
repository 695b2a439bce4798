// How much slower code may be under a checker that looks at every access.
#pragma once

namespace fw::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr int slowdown = 20;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr int slowdown = 4;
#else
inline constexpr int slowdown = 1;
#endif

} // namespace fw::test
