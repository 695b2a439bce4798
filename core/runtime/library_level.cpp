#include "runtime/library_level.h"

#include "runtime/cpu.h"

#include <cstdlib>
#include <pthread.h>
#include <strings.h>

namespace fw::runtime {

namespace {

constexpr std::uint64_t bf16 = cpuLevel4 | CpuAvx512Vnni | CpuAvx512Bf16;
constexpr LibraryLevel oneDnnLevels[] = {
    {"sse41", CpuSse42, 1},
    {"avx", CpuSse42 | CpuAvx, 2},
    {"avx2", CpuSse42 | CpuAvx | CpuAvx2 | CpuFma, 3},
    {"avx512_core", cpuLevel4, 4},
    {"avx512_core_vnni", cpuLevel4 | CpuAvx512Vnni, 5},
    {"avx512_core_bf16", bf16, 6},
};
constexpr LibraryLevel openBlasLevels[] = {
    {"Nehalem", CpuSse42, 1},   {"Sandybridge", CpuSse42 | CpuAvx, 2},
    {"Haswell", cpuLevel3, 3},  {"Zen", cpuLevel3, 3},
    {"SkylakeX", cpuLevel4, 4}, {"Cooperlake", bf16, 5},
};

struct Hold {
    std::string wanted;
    std::string level; // once opened
    bool opened = false;
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
Hold* holds[2] = {}; // by LibraryId; never freed: threads may still ask at exit

class Lock {
public:
    Lock() { pthread_mutex_lock(&mutex); }
    ~Lock() { pthread_mutex_unlock(&mutex); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    Hold& of(LibraryId library) {
        Hold*& hold = holds[static_cast<std::size_t>(library)];
        if (!hold)
            hold = new Hold;
        return *hold;
    }
};

const LibraryLevel* rowOf(LibraryId library, const std::string& name) {
    for (const LibraryLevel& level : libraryLevels(library))
        if (strcasecmp(level.name, name.c_str()) == 0)
            return &level;
    return nullptr;
}

// What the user's environment says; empty if nothing, or nothing that the library would heed.
std::string environmentLevel(LibraryId library) {
    if (library == LibraryId::OpenBlas) {
        const char* core = std::getenv("OPENBLAS_CORETYPE");
        return core ? core : "";
    }
    const char* isa = std::getenv("ONEDNN_MAX_CPU_ISA");
    if (!isa)
        isa = std::getenv("DNNL_MAX_CPU_ISA");
    if (!isa)
        return {};
    if (strcasecmp(isa, "AVX2_VNNI") == 0) // adds nothing for f32
        return "avx2";
    const LibraryLevel* row = rowOf(library, isa);
    return row ? row->name : "";
}

// What the CPU plays at best; nullptr if no row fits.
const LibraryLevel* bestHere(LibraryId library) {
    const LibraryLevel* best = nullptr;
    for (const LibraryLevel& level : libraryLevels(library))
        if (playsHere(level))
            best = &level;
    return best;
}

} // namespace

LibraryLevels libraryLevels(LibraryId library) {
    if (library == LibraryId::OneDnn)
        return {oneDnnLevels, sizeof oneDnnLevels / sizeof *oneDnnLevels};
    return {openBlasLevels, sizeof openBlasLevels / sizeof *openBlasLevels};
}

bool playsHere(const LibraryLevel& level) {
    return (level.features & ~cpuInfo().features) == 0;
}

bool isBelow(LibraryId library, const std::string& level, const std::string& wanted) {
    const LibraryLevel *has = rowOf(library, level), *asked = rowOf(library, wanted);
    return has && asked && has->rank < asked->rank;
}

std::string ownLevel(LibraryId library) {
    if (library == LibraryId::OneDnn)
        return {};
    const std::uint64_t features = cpuInfo().features;
    if ((features & cpuLevel4) == cpuLevel4)
        return "SkylakeX";
    if ((features & cpuLevel3) == cpuLevel3)
        return cpuInfo().vendor == "AuthenticAMD" ? "Zen" : "Haswell";
    return (features & CpuAvx) != 0 ? "Sandybridge" : "";
}

std::string levelFor(LibraryId library, const std::string& wanted) {
    const LibraryLevel* best = bestHere(library);
    const std::string own = ownLevel(library);
    std::string level = own;
    int rank = best ? best->rank : 0;
    for (const std::string& name : {wanted, environmentLevel(library)}) {
        if (name.empty())
            continue;
        const LibraryLevel* row = rowOf(library, name);
        if (row && (!playsHere(*row) || row->rank > rank))
            continue;
        level = row ? row->name : name;
        rank = row ? row->rank : 0;
    }
    // oneDNN takes the best that there is by itself.
    const bool unheld = level == own || (own.empty() && best && level == best->name);
    return unheld ? std::string() : level;
}

Status holdLibrary(LibraryId library, const std::string& wanted) {
    Lock lock;
    Hold& hold = lock.of(library);
    const std::string level = levelFor(library, wanted);
    if (!hold.opened) {
        hold.wanted = wanted;
        return {};
    }
    if (hold.level == level)
        return {};
    const char* const own = "its own choice";
    return fail(FW_LIBRARY_FAILED, "%s was opened at %s in this process, not at %s",
                libraryText(library), hold.level.empty() ? own : hold.level.c_str(),
                level.empty() ? own : level.c_str());
}

FixedLevel fixLevel(LibraryId library) {
    Lock lock;
    Hold& hold = lock.of(library);
    hold.level = levelFor(library, hold.wanted);
    hold.opened = true;
    return {hold.level, !hold.wanted.empty()};
}

} // namespace fw::runtime
