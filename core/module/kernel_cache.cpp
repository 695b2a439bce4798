#include "module/kernel_cache.h"

#include "base/cache_folder.h"
#include "base/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace fw {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "fusewright kernel 1\n";
constexpr std::uint64_t largestEntry = std::uint64_t(64) << 20;
constexpr auto usedAgain = std::chrono::hours(1); // how exactly the time of the last use is kept

void put(std::string& out, std::uint64_t value) {
    char bytes[8];
    std::memcpy(bytes, &value, 8);
    out.append(bytes, 8);
}

// Reads what put() wrote; nothing more once something was missing.
struct Reader {
    std::string_view rest;
    bool good = true;

    std::uint64_t number() {
        std::uint64_t value = 0;
        if (rest.size() < 8) {
            good = false;
            return 0;
        }
        std::memcpy(&value, rest.data(), 8);
        rest.remove_prefix(8);
        return value;
    }

    std::string_view text() {
        const std::uint64_t size = number();
        if (!good || size > rest.size()) {
            good = false;
            return {};
        }
        const std::string_view out = rest.substr(0, size);
        rest.remove_prefix(size);
        return out;
    }
};

std::uint64_t footprint(const CompiledKernel& kernel) {
    return kernel.object.size() + kernel.symbol.size() + sizeof(CompiledKernel);
}

} // namespace

std::string cacheEntry(const CompiledKernel& kernel) {
    std::string body;
    put(body, kernel.key.high);
    put(body, kernel.key.low);
    put(body, kernel.symbol.size());
    body += kernel.symbol;
    const KernelCounters& counters = kernel.counters;
    for (const std::int64_t count : {counters.fmas, counters.loads, counters.stores,
                                     counters.gathers, counters.calls, counters.textBytes})
        put(body, static_cast<std::uint64_t>(count));
    put(body, static_cast<std::uint64_t>(kernel.milliseconds * 1000));
    put(body, kernel.object.size());
    body.append(reinterpret_cast<const char*>(kernel.object.data()), kernel.object.size());
    const Hash check = hashOf(body);
    std::string out(magic);
    put(out, check.high);
    put(out, check.low);
    return out + body;
}

std::shared_ptr<const CompiledKernel> readCacheEntry(const Hash& key, std::string_view bytes) {
    if (!bytes.starts_with(magic))
        return nullptr;
    Reader reader{bytes.substr(magic.size())};
    Hash check;
    check.high = reader.number();
    check.low = reader.number();
    if (!reader.good || hashOf(reader.rest) != check)
        return nullptr;
    auto kernel = std::make_shared<CompiledKernel>();
    kernel->key.high = reader.number();
    kernel->key.low = reader.number();
    kernel->symbol = reader.text();
    KernelCounters& counters = kernel->counters;
    for (std::int64_t* count : {&counters.fmas, &counters.loads, &counters.stores,
                                &counters.gathers, &counters.calls, &counters.textBytes})
        *count = static_cast<std::int64_t>(reader.number());
    kernel->milliseconds = static_cast<double>(reader.number()) / 1000;
    const std::string_view object = reader.text();
    if (!reader.good || !reader.rest.empty() || kernel->key != key)
        return nullptr;
    const auto* first = reinterpret_cast<const std::byte*>(object.data());
    kernel->object.assign(first, first + object.size());
    return kernel;
}

std::string KernelCache::fileOf(const Hash& key) const {
    return (fs::path(m_options.folder) / (key.hex() + ".fwo")).string();
}

KernelCache::Found KernelCache::find(const Hash& key) {
    {
        const std::lock_guard lock(m_mutex);
        if (const auto known = m_kernels.find(key); known != m_kernels.end())
            return {known->second, KernelSource::Memory};
    }
    if (m_options.folder.empty())
        return {};
    const std::string file = fileOf(key);
    std::shared_ptr<const CompiledKernel> kernel;
    {
        const Result<MappedFile> mapped = mapFile(file, largestEntry);
        if (!mapped)
            return {};
        kernel = readCacheEntry(key, mapped->text());
    }
    std::error_code error;
    if (!kernel) {
        fs::remove(file, error); // it would fail every time
        return {};
    }
    const auto now = fs::file_time_type::clock::now();
    if (const auto used = fs::last_write_time(file, error); !error && now - used > usedAgain)
        fs::last_write_time(file, now, error);
    remember(kernel);
    return {kernel, KernelSource::Disk};
}

void KernelCache::remember(const std::shared_ptr<const CompiledKernel>& kernel) {
    const std::lock_guard lock(m_mutex);
    if (m_bytes + footprint(*kernel) > m_options.memoryBytes) {
        m_kernels.clear(); // modules keep what they use
        m_bytes = 0;
    }
    if (m_kernels.emplace(kernel->key, kernel).second)
        m_bytes += footprint(*kernel);
}

void KernelCache::add(const std::shared_ptr<const CompiledKernel>& kernel) {
    remember(kernel);
    if (m_options.folder.empty())
        return;
    std::uint64_t serial = 0;
    {
        const std::lock_guard lock(m_mutex);
        serial = m_serial++;
    }
    // Not synced: what a power cut leaves half written fails its checksum.
    std::error_code error;
    fs::create_directories(m_options.folder, error);
    const std::string file = fileOf(kernel->key);
    const std::string temporary = fmt::format("{}.{}.{}.tmp", file, ::getpid(), serial);
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    const std::string entry = cacheEntry(*kernel);
    stream.write(entry.data(), static_cast<std::streamsize>(entry.size()));
    stream.close();
    if (stream.fail())
        fs::remove(temporary, error);
    else
        fs::rename(temporary, file, error);
    if (error)
        fs::remove(temporary, error);
}

void KernelCache::trim() {
    if (m_options.folder.empty())
        return;
    struct File {
        fs::path path;
        std::uint64_t bytes;
        fs::file_time_type used;
    };
    std::vector<File> files;
    std::uint64_t total = 0;
    std::error_code error;
    const auto now = fs::file_time_type::clock::now();
    for (fs::directory_iterator item(m_options.folder, error), end; !error && item != end;
         item.increment(error)) {
        std::error_code ignored;
        const std::string name = item->path().filename().string();
        const bool left = name.ends_with(".tmp"); // by a process that died
        if (!item->is_regular_file(ignored) || (!left && !name.ends_with(".fwo")))
            continue;
        File file{item->path(), item->file_size(ignored), item->last_write_time(ignored)};
        if (left && now - file.used > usedAgain) {
            fs::remove(file.path, ignored);
            continue;
        }
        total += file.bytes;
        files.push_back(std::move(file));
    }
    if (total <= m_options.diskBytes)
        return;
    std::sort(files.begin(), files.end(),
              [](const File& a, const File& b) { return a.used < b.used; });
    for (const File& file : files) {
        if (total <= m_options.diskBytes / 4 * 3)
            break;
        fs::remove(file.path, error);
        total -= file.bytes;
    }
}

std::string kernelCacheFolder() {
    return cacheFolder("obj");
}

KernelCache& sharedKernelCache() {
    static KernelCache cache(KernelCache::Options{.folder = kernelCacheFolder()});
    return cache;
}

} // namespace fw
