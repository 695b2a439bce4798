// Memory that the runtime owns: anonymous pages for arenas, read-only mappings of files.
#pragma once

#include "runtime/status.h"

#include <cstddef>
#include <utility>

namespace fw::runtime {

// Page-aligned memory, zero when new. Grows only.
class AlignedMemory {
public:
    AlignedMemory() = default;
    ~AlignedMemory();
    AlignedMemory(const AlignedMemory&) = delete;
    AlignedMemory& operator=(const AlignedMemory&) = delete;

    // At least `bytes` bytes; contents are lost when it has to grow.
    Status reserve(std::size_t bytes);
    void release(); // all of it
    std::byte* data() const { return m_data; }
    std::size_t size() const { return m_size; }

private:
    std::byte* m_data = nullptr;
    std::size_t m_size = 0;
};

// Where empty tensors lie, so that kernels never see null.
std::byte* addressOfNothing();

// What libraries take at once and do not look whether they got: small allocations, the memory for
// kernels that they make.
constexpr std::size_t roomOfLibraries = std::size_t{16} << 20;

// Address space that is kept while this lives; none where the system does not limit it.
class KeptRoom {
public:
    explicit KeptRoom(std::size_t bytes);
    ~KeptRoom();
    KeptRoom(const KeptRoom&) = delete;
    KeptRoom& operator=(const KeptRoom&) = delete;
    bool isThere() const { return m_isThere; } // or is not limited
    bool isLimited() const { return m_address != nullptr; }

private:
    void* m_address = nullptr;
    std::size_t m_bytes;
    bool m_isThere = true;
};

// A file mapped read-only and shared with every process that maps it. The file must not shrink
// while it is open.
class FileMapping {
public:
    FileMapping() = default;
    ~FileMapping();
    FileMapping(FileMapping&& other) noexcept { swap(other); }
    FileMapping& operator=(FileMapping&& other) noexcept {
        swap(other);
        return *this;
    }

    Status open(const char* path);
    const std::byte* data() const { return m_data; }
    std::size_t size() const { return m_size; }

private:
    void swap(FileMapping& other) noexcept {
        std::swap(m_data, other.m_data);
        std::swap(m_size, other.m_size);
    }

    const std::byte* m_data = nullptr;
    std::size_t m_size = 0;
};

} // namespace fw::runtime
