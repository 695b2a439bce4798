#include "strategy/machine_profile.h"

#include <fmt/format.h>

#include <array>

namespace fw {

namespace {

constexpr std::array rows = {
    CeilingRow{"gflops", "GFLOP/s", "multiply-adds of one core, f32", &MachineProfile::gflops},
    CeilingRow{"l2_gbps", "GB/s", "read by one core from the L2 cache", &MachineProfile::l2Gbps},
    CeilingRow{"l3_gbps", "GB/s", "read by one core from the L3 cache", &MachineProfile::l3Gbps},
    CeilingRow{"memory_gbps", "GB/s", "read by one core from memory", &MachineProfile::memoryGbps},
    CeilingRow{"launch_us", "us", "to call a kernel", &MachineProfile::launchUs},
    CeilingRow{"fork_us", "us", "to share work among the threads", &MachineProfile::forkUs},
};

} // namespace

std::span<const CeilingRow> ceilings() {
    return rows;
}

std::string rateName(std::string_view maker, WorkClass work) {
    return fmt::format("{}.{}", maker, workText(work));
}

std::string callName(std::string_view maker) {
    return fmt::format("{}.call_us", maker);
}

MachineProfile tabulatedMachine(const Target& target) {
    MachineProfile out;
    const double lanes = target.vectorLanesF32;
    out.gflops = 3.0 * 2 * (target.hasFma() ? 2 : 1) * lanes;
    out.l2Gbps = 3.0 * 2 * lanes;
    out.l3Gbps = 25;
    out.memoryGbps = 12;
    return out;
}

} // namespace fw
