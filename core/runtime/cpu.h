// The CPU we run on, asked once. The one place in the program that executes cpuid: core/target
// takes its host description from here, exported modules check here that their kernels can run.
#pragma once

#include <cstdint>
#include <string>

namespace fw::runtime {

// Instruction sets that generated code may need. Bits are part of the program format: append only.
enum CpuFeature : std::uint64_t {
    CpuSse42 = 1u << 0,
    CpuAvx = 1u << 1,
    CpuAvx2 = 1u << 2,
    CpuFma = 1u << 3,
    CpuF16c = 1u << 4,
    CpuBmi2 = 1u << 5,
    CpuAvx512F = 1u << 6,
    CpuAvx512Bw = 1u << 7,
    CpuAvx512Dq = 1u << 8,
    CpuAvx512Vl = 1u << 9,
    CpuAvx512Cd = 1u << 10,
    CpuAvx512Vnni = 1u << 11,
    CpuAvx512Bf16 = 1u << 12,
    CpuPopcnt = 1u << 13,
    CpuBmi = 1u << 14,
    CpuLzcnt = 1u << 15,
    CpuMovbe = 1u << 16,
};

// What x86-64-v3 and x86-64-v4 promise.
constexpr std::uint64_t cpuLevel2 = CpuSse42 | CpuPopcnt;
constexpr std::uint64_t cpuLevel3 =
    cpuLevel2 | CpuAvx | CpuAvx2 | CpuFma | CpuF16c | CpuBmi | CpuBmi2 | CpuLzcnt | CpuMovbe;
constexpr std::uint64_t cpuLevel4 =
    cpuLevel3 | CpuAvx512F | CpuAvx512Bw | CpuAvx512Dq | CpuAvx512Vl | CpuAvx512Cd;

struct CpuInfo {
    std::string vendor; // "GenuineIntel"
    std::string model;  // brand string, trimmed
    int family = 0;
    int modelNumber = 0;
    int stepping = 0;
    std::uint64_t features = 0; // only what the operating system saves the registers for
    std::int64_t l1Bytes = 0;   // data cache of one core
    std::int64_t l2Bytes = 0;
    std::int64_t l3Bytes = 0; // 0: none or unknown
    int cores = 1;            // CPUs that this process may use
};

const CpuInfo& cpuInfo();

// "avx2,fma" in the order of the bits, as LLVM spells them.
std::string featureNames(std::uint64_t features);

} // namespace fw::runtime
