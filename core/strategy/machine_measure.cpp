// The ceilings of this machine, measured: multiply-adds in registers, reads from each level of the
// memory, a call, a fork. The best of several short runs counts, since everything else only adds
// time.
#include "strategy/machine_measure.h"

#include "base/waiting.h"
#include "runtime/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <immintrin.h>
#include <vector>

namespace fw {

namespace {

constexpr double mostWaited = 0.2; // of the time of measuring, for a core
constexpr double mostSpread = 0.5; // of the median above the best
constexpr double grain = 2e-6;     // seconds: clock and caches

struct Best {
    double seconds = 1e30;
    bool disturbed = false;
};

// Runs `work` often, but for no longer than the budget: beside other processes the threads of a
// fork may wait for each other as long as a time slice takes.
Best bestOf(int runs, double budget, const std::function<void()>& work) {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    std::vector<double> times;
    const double waitedBefore = secondsWaitedForCores();
    const auto begin = Clock::now();
    for (int i = 0; i < runs && (i == 0 || since(begin) < budget); ++i) {
        const auto start = Clock::now();
        work();
        times.push_back(since(start));
    }
    const double took = since(begin);
    const double waited = secondsWaitedForCores() - waitedBefore;
    std::sort(times.begin(), times.end());
    const double best = times.front(), median = times[times.size() / 2];
    return {best, MeasuredRuns{best, median, took, waited}.disturbed()};
}

constexpr int chains = 12; // independent sums: more than latency times ports
constexpr int rounds = 20000;

__attribute__((target("avx512f"))) float multiplyAdds512() {
    __m512 sums[chains];
    for (__m512& sum : sums)
        sum = _mm512_set1_ps(0.5F);
    const __m512 a = _mm512_set1_ps(0.999F), b = _mm512_set1_ps(0.001F);
    for (int i = 0; i < rounds; ++i)
#pragma GCC unroll 12
        for (__m512& sum : sums)
            sum = _mm512_fmadd_ps(sum, a, b);
    __m512 total = sums[0];
    for (int i = 1; i < chains; ++i)
        total = _mm512_add_ps(total, sums[i]);
    float lanes[16];
    _mm512_storeu_ps(lanes, total);
    return lanes[0] + lanes[15];
}

__attribute__((target("avx2,fma"))) float multiplyAdds256() {
    __m256 sums[chains];
    for (__m256& sum : sums)
        sum = _mm256_set1_ps(0.5F);
    const __m256 a = _mm256_set1_ps(0.999F), b = _mm256_set1_ps(0.001F);
    for (int i = 0; i < rounds; ++i)
#pragma GCC unroll 12
        for (__m256& sum : sums)
            sum = _mm256_fmadd_ps(sum, a, b);
    __m256 total = sums[0];
    for (int i = 1; i < chains; ++i)
        total = _mm256_add_ps(total, sums[i]);
    float lanes[8];
    _mm256_storeu_ps(lanes, total);
    return lanes[0] + lanes[7];
}

float multiplyAdds128() {
    __m128 sums[chains];
    for (__m128& sum : sums)
        sum = _mm_set1_ps(0.5F);
    const __m128 a = _mm_set1_ps(0.999F), b = _mm_set1_ps(0.001F);
    for (int i = 0; i < rounds; ++i)
#pragma GCC unroll 12
        for (__m128& sum : sums)
            sum = _mm_add_ps(_mm_mul_ps(sum, a), b);
    __m128 total = sums[0];
    for (int i = 1; i < chains; ++i)
        total = _mm_add_ps(total, sums[i]);
    return _mm_cvtss_f32(total);
}

MeasuredCeiling peakGflops(const Target& host) {
    volatile float sink = 0;
    const double lanes = host.hasAvx512() ? 16 : host.hasFma() ? 8 : 4;
    const Best best = bestOf(20, 0.004, [&] {
        sink = host.hasAvx512() ? multiplyAdds512()
               : host.hasFma()  ? multiplyAdds256()
                                : multiplyAdds128();
    });
    return {2.0 * lanes * chains * rounds / best.seconds / 1e9, best.disturbed};
}

// In eight chains, of vectors where there are any.
__attribute__((target("avx2"))) std::uint64_t sum256(const std::vector<std::uint64_t>& data) {
    __m256i sums[8] = {};
    for (std::size_t i = 0; i + 32 <= data.size(); i += 32)
#pragma GCC unroll 8
        for (std::size_t k = 0; k < 8; ++k)
            sums[k] = _mm256_add_epi64(sums[k], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(
                                                    data.data() + i + 4 * k)));
    std::uint64_t out = 0, lanes[4];
    for (const __m256i& sum : sums) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), sum);
        out += lanes[0] + lanes[1] + lanes[2] + lanes[3];
    }
    return out;
}

std::uint64_t sum64(const std::vector<std::uint64_t>& data) {
    std::uint64_t sums[8] = {};
    for (std::size_t i = 0; i + 8 <= data.size(); i += 8)
        for (std::size_t k = 0; k < 8; ++k)
            sums[k] += data[i + k];
    std::uint64_t out = 0;
    for (const std::uint64_t sum : sums)
        out += sum;
    return out;
}

MeasuredCeiling readGbps(const Target& host, std::size_t bytes) {
    std::vector<std::uint64_t> data(bytes / 8, 1);
    volatile std::uint64_t sink = 0;
    const std::size_t passes = std::max<std::size_t>(1, (std::size_t(4) << 20) / bytes);
    const Best best = bestOf(10, 0.02, [&] {
        for (std::size_t pass = 0; pass < passes; ++pass)
            sink = sink + (host.hasFma() ? sum256(data) : sum64(data));
    });
    return {static_cast<double>(passes) * static_cast<double>(data.size() * 8) / best.seconds / 1e9,
            best.disturbed};
}

// Waits until every iteration has begun, or one thread would do them all. Not for ever: on a busy
// machine the others may come late.
void meet(const fw_kernel_context* context, std::int64_t begin, std::int64_t end) {
    auto& begun = *static_cast<std::atomic<std::int64_t>*>(context->buffers[0]);
    begun += end - begin;
    for (int i = 0; begun < context->symbols[0] && i < 10000; ++i)
        _mm_pause();
}

MeasuredCeiling parallelUs(int threads, std::int64_t count) {
    const runtime::ParallelSettings settings{threads};
    std::atomic<std::int64_t> begun = 0;
    void* const buffers[] = {&begun};
    const fw_kernel_context context{buffers, &count, runtime::parallelFor, &settings};
    constexpr int calls = 10;
    const Best best = bestOf(100, 0.004, [&] {
        for (int i = 0; i < calls; ++i) {
            begun = 0;
            runtime::parallelFor(&context, meet, count, 1);
        }
    });
    return {best.seconds / calls * 1e6, best.disturbed};
}

MeasuredCeiling measuredOnce(const Target& host, Ceiling ceiling) {
    const std::size_t l2 = host.l2 > 0 ? static_cast<std::size_t>(host.l2) : 1 << 20;
    const std::size_t l3 = host.l3 > 0 ? static_cast<std::size_t>(host.l3) : 16 << 20;
    if (ceiling == &MachineProfile::gflops)
        return peakGflops(host);
    if (ceiling == &MachineProfile::l2Gbps)
        return readGbps(host, l2 / 2);
    if (ceiling == &MachineProfile::l3Gbps)
        return readGbps(host, std::min(l3 / 2, l2 * 6));
    if (ceiling == &MachineProfile::memoryGbps)
        return readGbps(host, std::min<std::size_t>(l3 * 3, std::size_t(128) << 20));
    MeasuredCeiling launch = parallelUs(host.threads, 1);
    launch.value = std::max(launch.value, 0.05);
    if (ceiling == &MachineProfile::launchUs)
        return launch;
    MeasuredCeiling fork = parallelUs(host.threads, host.threads);
    fork.value = std::max(fork.value, launch.value);
    fork.disturbed = fork.disturbed || fork.value > mostForkUs;
    return fork;
}

} // namespace

bool MeasuredRuns::disturbed() const {
    return waited > mostWaited * took || median - best > mostSpread * best + grain;
}

MeasuredCeiling measuredCeiling(const Target& host, Ceiling ceiling) {
    const MeasuredCeiling first = measuredOnce(host, ceiling);
    if (!first.disturbed)
        return first;
    MeasuredCeiling second = measuredOnce(host, ceiling);
    const bool isTime = ceiling == &MachineProfile::launchUs || ceiling == &MachineProfile::forkUs;
    second.value =
        isTime ? std::min(first.value, second.value) : std::max(first.value, second.value);
    return second;
}

} // namespace fw
