#include "runtime/memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fw::runtime {

std::byte* addressOfNothing() {
    alignas(64) static std::byte nothing[64];
    return nothing;
}

AlignedMemory::~AlignedMemory() {
    release();
}

void AlignedMemory::release() {
    if (m_data)
        munmap(m_data, m_size);
    m_data = nullptr;
    m_size = 0;
}

Status AlignedMemory::reserve(std::size_t bytes) {
    if (bytes <= m_size)
        return {};
    constexpr std::size_t page = 4096;
    constexpr std::size_t hugePage = std::size_t{2} << 20;
    const std::size_t size = (bytes + page - 1) / page * page;
    if (size < bytes)
        return fail(FW_OUT_OF_MEMORY, "%zu bytes of memory are not available", bytes);
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fail(FW_OUT_OF_MEMORY, "%zu bytes of memory are not available", bytes);
    if (size >= 2 * hugePage)
        madvise(memory, size, MADV_HUGEPAGE); // a wish: fewer page faults in the first run
    if (m_data)
        munmap(m_data, m_size);
    m_data = static_cast<std::byte*>(memory);
    m_size = size;
    return {};
}

KeptRoom::KeptRoom(std::size_t bytes) : m_bytes(bytes) {
    bool isLimited = false;
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
        rlimit limit = {};
        isLimited =
            isLimited || (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY);
    }
    if (!isLimited)
        return;
    // Writable, which is what RLIMIT_DATA counts.
    m_address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    m_isThere = m_address != MAP_FAILED;
}

KeptRoom::~KeptRoom() {
    if (m_address && m_isThere)
        munmap(m_address, m_bytes);
}

FileMapping::~FileMapping() {
    if (m_data)
        munmap(const_cast<std::byte*>(m_data), m_size);
}

Status FileMapping::open(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe would wait
    if (file < 0)
        return fail(FW_BAD_FILE, "cannot open %s: %s", path, strerror(errno));
    struct stat info = {};
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) {
        close(file);
        return fail(FW_BAD_FILE, "%s is empty or not a regular file", path);
    }
    const auto size = static_cast<std::size_t>(info.st_size);
    void* memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    const int reason = errno;
    close(file);
    if (memory == MAP_FAILED)
        return fail(reason == ENOMEM ? FW_OUT_OF_MEMORY : FW_BAD_FILE, "cannot map %s: %s", path,
                    strerror(reason));
    if (m_data)
        munmap(const_cast<std::byte*>(m_data), m_size);
    m_data = static_cast<const std::byte*>(memory);
    m_size = size;
    return {};
}

} // namespace fw::runtime
