#include "libraries/onednn/call/onednn_table.h"

#include "runtime/breadcrumb.h"
#include "runtime/cpu.h"
#include "runtime/library_level.h"

#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <strings.h>

namespace fw::runtime {

namespace {

OneDnnTable* table = nullptr;
pthread_once_t once = PTHREAD_ONCE_INIT;

struct Isa {
    dnnl_cpu_isa_t isa;
    const char* name; // as in libraryLevels()
};

constexpr Isa isas[] = {
    {dnnl_cpu_isa_sse41, "sse41"},
    {dnnl_cpu_isa_avx, "avx"},
    {dnnl_cpu_isa_avx2, "avx2"},
    {dnnl_cpu_isa_avx2_vnni, "avx2_vnni"},
    {dnnl_cpu_isa_avx512_core, "avx512_core"},
    {dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni"},
    {dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16"},
    {dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx"},
};

const char* isaText(dnnl_cpu_isa_t isa) {
    for (const Isa& known : isas)
        if (known.isa == isa)
            return known.name;
    return "other";
}

// Empty if the library is held to this level now, which must come before its first answer. What the
// environment says it heeds by itself, and a program that loads an exported module may use it
// before.
std::string holdTo(const OneDnnTable& t, const FixedLevel& level) {
    for (const Isa& known : isas)
        if (level.held && level.name == known.name &&
            t.set_max_cpu_isa(known.isa) != dnnl_success && t.get_effective_cpu_isa() != known.isa)
            return "it cannot be held to " + level.name;
    return {};
}

std::string whyNot(OneDnnTable& t, void* handle) {
#define FW_X(name)                                                                                 \
    t.name = reinterpret_cast<decltype(t.name)>(dlsym(handle, "dnnl_" #name));                     \
    if (!t.name)                                                                                   \
        return "it has no function dnnl_" #name;
    FW_DNNL_FUNCTIONS(FW_X)
#undef FW_X
    const dnnl_version_t* version = t.version();
    t.info.version = std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
                     std::to_string(version->patch);
    if (version->major != 2)
        return "version " + t.info.version + " is not 2.x";
    // One OpenMP runtime under everything: other builds would fight over the cores.
    if (version->cpu_runtime != DNNL_RUNTIME_OMP)
        return "it was not built for OpenMP";
    if (!findOpenMp(handle, t.openMp))
        return "its OpenMP runtime does not have libgomp's functions";
    if (std::string why = holdTo(t, fixLevel(LibraryId::OneDnn)); !why.empty())
        return why;
    t.info.core = isaText(t.get_effective_cpu_isa());
    if (t.engine_create(&t.engine, dnnl_cpu, 0) != dnnl_success ||
        t.stream_create(&t.stream, t.engine, dnnl_stream_default_flags) != dnnl_success)
        return "it has no engine for this CPU";
    return {};
}

void open() {
    const Crumb crumb{"opening onednn", "onednn", {}};
    const Breadcrumb at(crumb);
    const LibraryAtWork work;
    table = new OneDnnTable;
    LibraryInfo& info = table->info;
    info.package = "libdnnl2";
    const char* wanted = std::getenv("FUSEWRIGHT_ONEDNN");
    const std::string file = wanted ? wanted : "libdnnl.so.2";
    void* handle = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char* why = file.empty() ? nullptr : dlerror();
        info.reason = why ? why : "switched off by FUSEWRIGHT_ONEDNN";
        return;
    }
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map)
        info.path = map->l_name;
    info.reason = whyNot(*table, handle);
    info.presence = info.reason.empty() ? LibraryPresence::Ready : LibraryPresence::Unusable;
}

constexpr std::uint64_t withBf16 = cpuLevel4 | CpuAvx512Vnni | CpuAvx512Bf16;
constexpr LibraryLevel levels[] = {
    {"sse41", CpuSse42, 1},
    {"avx", CpuSse42 | CpuAvx, 2},
    {"avx2", CpuSse42 | CpuAvx | CpuAvx2 | CpuFma, 3},
    {"avx512_core", cpuLevel4, 4},
    {"avx512_core_vnni", cpuLevel4 | CpuAvx512Vnni, 5},
    {"avx512_core_bf16", withBf16, 6},
};

std::string environmentLevel() {
    const char* isa = std::getenv("ONEDNN_MAX_CPU_ISA");
    if (!isa)
        isa = std::getenv("DNNL_MAX_CPU_ISA");
    if (!isa)
        return {};
    if (strcasecmp(isa, "AVX2_VNNI") == 0) // adds nothing for f32
        return "avx2";
    const LibraryLevel* row = codeOneDnn.levels.find(isa);
    return row ? row->name : "";
}

const LibraryInfo& info() {
    return oneDnn().info;
}

} // namespace

const OneDnnTable& oneDnn() {
    pthread_once(&once, open);
    return *table;
}

const LibraryCode codeOneDnn = {
    info, prepareOneDnn, {levels, sizeof levels / sizeof *levels}, true, environmentLevel};

const char* dnnlText(dnnl_status_t status) {
    switch (status) {
    case dnnl_success:
        return "success";
    case dnnl_out_of_memory:
        return "out of memory";
    case dnnl_invalid_arguments:
        return "invalid arguments";
    case dnnl_unimplemented:
        return "not implemented";
    case dnnl_iterator_ends:
        return "no kernel";
    case dnnl_runtime_error:
        return "runtime error";
    case dnnl_not_required:
        return "not required";
    }
    return "unknown error";
}

} // namespace fw::runtime
