#include "runtime/cpu.h"

#include <cpuid.h>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace fw::runtime {

namespace {

struct Registers {
    unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
    Registers r;
    if (__get_cpuid_max(leaf & 0x80000000u, nullptr) >= leaf)
        __cpuid_count(leaf, subleaf, r.a, r.b, r.c, r.d);
    return r;
}

unsigned savedRegisters() { // XCR0: what the operating system saves on a context switch
    unsigned low = 0;
    unsigned high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

struct Bit {
    std::uint64_t feature;
    const char* name;
};

const Bit names[] = {
    {CpuSse42, "sse4.2"},
    {CpuAvx, "avx"},
    {CpuAvx2, "avx2"},
    {CpuFma, "fma"},
    {CpuF16c, "f16c"},
    {CpuBmi2, "bmi2"},
    {CpuAvx512F, "avx512f"},
    {CpuAvx512Bw, "avx512bw"},
    {CpuAvx512Dq, "avx512dq"},
    {CpuAvx512Vl, "avx512vl"},
    {CpuAvx512Cd, "avx512cd"},
    {CpuAvx512Vnni, "avx512vnni"},
    {CpuAvx512Bf16, "avx512bf16"},
    {CpuPopcnt, "popcnt"},
    {CpuBmi, "bmi"},
    {CpuLzcnt, "lzcnt"},
    {CpuMovbe, "movbe"},
};

std::uint64_t readFeatures() {
    const Registers one = cpuid(1);
    const Registers seven = cpuid(7);
    const Registers sevenOne = cpuid(7, 1);
    const Registers extended = cpuid(0x80000001u);
    const bool saving = (one.c >> 27) & 1u; // OSXSAVE
    const unsigned saved = saving ? savedRegisters() : 0;
    const bool ymm = (saved & 0x6u) == 0x6u;
    const bool zmm = ymm && (saved & 0xe0u) == 0xe0u;

    std::uint64_t features = 0;
    const auto add = [&](bool condition, unsigned word, unsigned bit, std::uint64_t feature) {
        if (condition && ((word >> bit) & 1u))
            features |= feature;
    };
    add(true, one.c, 20, CpuSse42);
    add(true, one.c, 22, CpuMovbe);
    add(true, one.c, 23, CpuPopcnt);
    add(true, seven.b, 3, CpuBmi);
    add(true, seven.b, 8, CpuBmi2);
    add(true, extended.c, 5, CpuLzcnt);
    add(ymm, one.c, 28, CpuAvx);
    add(ymm, one.c, 12, CpuFma);
    add(ymm, one.c, 29, CpuF16c);
    add(ymm, seven.b, 5, CpuAvx2);
    add(zmm, seven.b, 16, CpuAvx512F);
    add(zmm, seven.b, 17, CpuAvx512Dq);
    add(zmm, seven.b, 28, CpuAvx512Cd);
    add(zmm, seven.b, 30, CpuAvx512Bw);
    add(zmm, seven.b, 31, CpuAvx512Vl);
    add(zmm, seven.c, 11, CpuAvx512Vnni);
    add(zmm, sevenOne.a, 5, CpuAvx512Bf16);
    return features;
}

void readCaches(CpuInfo& info) {
    // Deterministic cache parameters: leaf 4 on Intel, 0x8000001d with the same layout on AMD.
    const unsigned leaf = info.vendor == "AuthenticAMD" ? 0x8000001du : 4u;
    for (unsigned index = 0; index < 16; ++index) {
        const Registers r = cpuid(leaf, index);
        const unsigned type = r.a & 31u; // 1 data, 2 instruction, 3 unified
        if (type == 0)
            break;
        if (type == 2)
            continue;
        const std::int64_t bytes = std::int64_t((r.b >> 22) + 1) *
                                   std::int64_t(((r.b >> 12) & 0x3ffu) + 1) *
                                   std::int64_t((r.b & 0xfffu) + 1) * (std::int64_t(r.c) + 1);
        const unsigned level = (r.a >> 5) & 7u;
        if (level == 1)
            info.l1Bytes = bytes;
        else if (level == 2)
            info.l2Bytes = bytes;
        else if (level == 3)
            info.l3Bytes = bytes;
    }
    if (info.l1Bytes == 0)
        info.l1Bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    if (info.l2Bytes == 0)
        info.l2Bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    // Virtual machines may say nothing at all: assume the least that any x86-64-v3 CPU has.
    if (info.l1Bytes <= 0)
        info.l1Bytes = 32 * 1024;
    if (info.l2Bytes <= 0)
        info.l2Bytes = 256 * 1024;
}

std::string readBrand() {
    char text[49] = {};
    for (unsigned i = 0; i < 3; ++i) {
        const Registers r = cpuid(0x80000002u + i);
        std::memcpy(text + 16 * i, &r, 16);
    }
    std::string brand(text);
    const auto begin = brand.find_first_not_of(' ');
    const auto end = brand.find_last_not_of(' ');
    return begin == std::string::npos ? std::string("unknown")
                                      : brand.substr(begin, end - begin + 1);
}

CpuInfo* shared = nullptr; // never freed: threads may still read it at exit

void readCpu() {
    auto* info = new CpuInfo;
    const Registers zero = cpuid(0);
    char vendor[13] = {};
    std::memcpy(vendor, &zero.b, 4);
    std::memcpy(vendor + 4, &zero.d, 4);
    std::memcpy(vendor + 8, &zero.c, 4);
    info->vendor = vendor;
    info->model = readBrand();

    const unsigned signature = cpuid(1).a;
    const unsigned family = (signature >> 8) & 15u;
    info->family = int(family == 15 ? family + ((signature >> 20) & 255u) : family);
    info->modelNumber = int((signature >> 4) & 15u);
    if (family == 6 || family == 15)
        info->modelNumber += int(((signature >> 16) & 15u) << 4);
    info->stepping = int(signature & 15u);

    info->features = readFeatures();
    readCaches(*info);
    cpu_set_t set;
    CPU_ZERO(&set);
    info->cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    if (info->cores < 1)
        info->cores = 1;
    shared = info;
}

} // namespace

const CpuInfo& cpuInfo() {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, readCpu);
    return *shared;
}

std::string featureNames(std::uint64_t features) {
    std::string text;
    for (const Bit& bit : names) {
        if ((features & bit.feature) == 0)
            continue;
        if (!text.empty())
            text += ',';
        text += bit.name;
    }
    return text;
}

} // namespace fw::runtime
