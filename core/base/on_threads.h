// The same work for many things, on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace fw {

enum class Thread : std::uint8_t { Caller, Helper };

// `work(i, thread)` once for every i below `count`, each on one of `threads` threads; it must not
// throw. The caller's thread has the first, so that helpers that are quick to take all others leave
// it something to tell.
template <class Work>
void onThreads(int threads, std::size_t count, const Work& work) {
    std::atomic<std::size_t> next{1};
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
         ++i)
        helpers.emplace_back([&] {
            for (std::size_t k = next++; k < count; k = next++)
                work(k, Thread::Helper);
        });
    for (std::size_t k = 0; k < count; k = next++)
        work(k, Thread::Caller);
    for (std::thread& helper : helpers)
        helper.join();
}

} // namespace fw
