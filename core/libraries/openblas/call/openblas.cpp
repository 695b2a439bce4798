// OpenBLAS, found with dlsym. Only its OpenMP build is accepted: the pthread build would fight
// libgomp over the cores.
#include "libraries/cblas/call/gemm.h"
#include "runtime/breadcrumb.h"
#include "runtime/cpu.h"
#include "runtime/library_file.h"
#include "runtime/library_level.h"
#include "runtime/memory.h"

#include <atomic>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <unistd.h>

namespace fw::runtime {

namespace {

struct OpenBlasTable {
    LibraryInfo info;
    OpenMp openMp;
    Cblas cblas;
    int (*getParallel)() = nullptr;
    const char* (*getCoreName)() = nullptr;
    const char* (*getConfig)() = nullptr;
};

OpenBlasTable* table = nullptr;
pthread_once_t once = PTHREAD_ONCE_INIT;

constexpr const char* title = "OpenBLAS";
constexpr int openMpBuild = 2; // of openblas_get_parallel

// Address space that it takes and keeps: for each of its threads and each of its callers, and
// itself.
constexpr std::size_t bytesOfThread = std::size_t{128} << 20, bytesToOpen = std::size_t{64} << 20;
int threadsOpened = 0;
std::atomic<int> threadsWithMemory{1};

// As many as it counts when it is opened: one per core, or what the environment says.
int threadsAtStart() {
    cpu_set_t allowed;
    int out = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                  ? CPU_COUNT(&allowed)
                  : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    for (const char* name : {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"})
        if (const char* text = std::getenv(name))
            if (const int asked = std::atoi(text); asked > 0)
                return asked < out ? asked : out;
    return out > 0 ? out : 1;
}

// Those whose memory is there, which it asks for until it has it.
int threadsToAskFor(int wanted) {
    for (; wanted > threadsWithMemory.load(std::memory_order_relaxed); --wanted) {
        const int more = wanted + (wanted > threadsOpened ? wanted - threadsOpened : 0);
        if (!KeptRoom(static_cast<std::size_t>(more) * bytesOfThread + roomOfLibraries).isThere())
            continue;
        threadsWithMemory.store(wanted, std::memory_order_relaxed);
        break;
    }
    return wanted;
}

std::string whyNot(OpenBlasTable& t, void* handle) {
    if (!findFunction(handle, "cblas_sgemm", t.cblas.sgemm) ||
        !findFunction(handle, "openblas_get_parallel", t.getParallel) ||
        !findFunction(handle, "openblas_get_corename", t.getCoreName) ||
        !findFunction(handle, "openblas_get_config", t.getConfig) ||
        !findFunction(handle, "openblas_set_num_threads", t.cblas.setThreads))
        return "it is not OpenBLAS";
    // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
    const std::string config = t.getConfig();
    const std::size_t space = config.find(' ');
    if (space != std::string::npos)
        t.info.version = config.substr(space + 1, config.find(' ', space + 1) - space - 1);
    t.info.core = t.getCoreName();
    if (config.find("USE64BITINT") != std::string::npos)
        return "it was built for 64-bit integers";
    if (t.getParallel() != openMpBuild)
        return "it was not built for OpenMP";
    if (!findOpenMp(handle, t.openMp))
        return "its OpenMP runtime does not have libgomp's functions";
    return {};
}

bool tryFile(const std::string& file) {
    // Asked for until they are there.
    const int threads = threadsAtStart();
    const std::size_t taken = bytesToOpen + static_cast<std::size_t>(threads) * bytesOfThread;
    if (!KeptRoom(taken).isThere()) {
        table->info.reason = "Cannot allocate memory: it takes " + std::to_string(taken >> 20) +
                             " MB when it is opened";
        return false;
    }
    threadsOpened = threads;
    void* handle = openLibraryFile(file, table->info);
    if (!handle)
        return false;
    OpenBlasTable found;
    found.info.package = table->info.package;
    found.info.path = table->info.path;
    found.info.reason = whyNot(found, handle);
    found.info.presence =
        found.info.reason.empty() ? LibraryPresence::Ready : LibraryPresence::Unusable;
    const bool ready = found.info.presence == LibraryPresence::Ready;
    *table = std::move(found);
    table->cblas.title = title;
    table->cblas.openMp = &table->openMp;
    table->cblas.threads = threadsToAskFor;
    if (!ready)
        dlclose(handle);
    return ready;
}

void open() {
    const Crumb crumb{"opening openblas", "openblas", {}};
    const Breadcrumb at(crumb);
    const LibraryAtWork work;
    table = new OpenBlasTable;
    table->info.package = "libopenblas0-openmp";
    table->info.reason = "there is no file libopenblas.so.0";
    const std::string level = fixLevel(LibraryId::OpenBlas).name;
    const EnvironmentFor core("OPENBLAS_CORETYPE", // which is read when it is opened
                              level.empty() ? ownLevel(LibraryId::OpenBlas) : level);
    if (const char* wanted = std::getenv("FUSEWRIGHT_OPENBLAS")) {
        if (*wanted == '\0')
            table->info.reason = "switched off by FUSEWRIGHT_OPENBLAS";
        else {
            table->info.reason = std::string("cannot open ") + wanted;
            tryFile(wanted);
        }
        return;
    }
    // By its directory first: where several builds are installed, the plain name is any of them.
    for (const char* file : {"/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0",
                             "/usr/lib64/libopenblaso.so.0", "libopenblas.so.0"})
        if (tryFile(file))
            return;
}

constexpr std::uint64_t withBf16 = cpuLevel4 | CpuAvx512Vnni | CpuAvx512Bf16;
constexpr LibraryLevel levels[] = {
    {"Nehalem", CpuSse42, 1},   {"Sandybridge", CpuSse42 | CpuAvx, 2},
    {"Haswell", cpuLevel3, 3},  {"Zen", cpuLevel3, 3, "AuthenticAMD"},
    {"SkylakeX", cpuLevel4, 4}, {"Cooperlake", withBf16, 5, nullptr, true}, // adds nothing for f32
};

std::string environmentLevel() {
    const char* core = std::getenv("OPENBLAS_CORETYPE");
    return core ? core : "";
}

// Opened on the first call and kept until the process ends.
const OpenBlasTable& opened() {
    pthread_once(&once, open);
    return *table;
}

const LibraryInfo& info() {
    return opened().info;
}

Status prepare(const ShapedCall& call, int threads, std::unique_ptr<PreparedCall>& prepared) {
    if (Status status = whyNotUsed(info(), title); !status.ok())
        return status;
    return prepareGemm(opened().cblas, call, threads, prepared);
}

} // namespace

const LibraryCode codeOpenBlas = {
    info, prepare, {levels, sizeof levels / sizeof *levels}, false, environmentLevel};

} // namespace fw::runtime
