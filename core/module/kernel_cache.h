// Compiled kernels by the hash of their content, in memory and in a folder.
//
// The key names scheduled loops, code target and version of the code generator, so an entry never
// goes stale: it is right or absent. A file is written under a temporary name and renamed; one that
// is cut short or damaged fails its checksum and is a miss. Nothing here refuses: without a folder,
// or with a full disk, the cache remembers less. Any number of threads and processes may use one
// folder.
#pragma once

#include "codegen/compile.h"

#include <map>
#include <memory>
#include <mutex>

namespace fw {

enum class KernelSource : std::uint8_t { Compiled, Memory, Disk };

class KernelCache {
public:
    struct Options {
        std::string folder; // empty: memory only; made when first written
        std::uint64_t diskBytes = std::uint64_t(512) << 20;
        std::uint64_t memoryBytes = std::uint64_t(64) << 20;
    };

    explicit KernelCache(Options options) : m_options(std::move(options)) {}

    struct Found {
        std::shared_ptr<const CompiledKernel> kernel; // null: a miss
        KernelSource source = KernelSource::Compiled;
    };
    Found find(const Hash& key);
    void add(const std::shared_ptr<const CompiledKernel>& kernel);
    // Removes the files that were not used for longest until the folder is well below its limit.
    void trim();

    std::string fileOf(const Hash& key) const;

private:
    void remember(const std::shared_ptr<const CompiledKernel>& kernel);

    Options m_options;
    std::mutex m_mutex;
    std::map<Hash, std::shared_ptr<const CompiledKernel>> m_kernels;
    std::uint64_t m_bytes = 0; // of m_kernels
    std::uint64_t m_serial = 0;
};

std::string kernelCacheFolder(); // cacheFolder("obj")

// The one of this process, on kernelCacheFolder().
KernelCache& sharedKernelCache();

// The bytes of a cache file, and back: null if they are not exactly what was written for `key`.
std::string cacheEntry(const CompiledKernel& kernel);
std::shared_ptr<const CompiledKernel> readCacheEntry(const Hash& key, std::string_view bytes);

} // namespace fw
