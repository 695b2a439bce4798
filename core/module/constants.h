// Constants in the layout that a kernel asks for, one after another in one blob of weights.
#pragma once

#include "ir/storage_map.h"
#include "ir/tensor_data.h"

#include <cstddef>
#include <map>
#include <new>
#include <span>
#include <vector>

namespace fw {

// Memory that starts at a multiple of 64, so that kernels can use it where it lies.
template <class T>
struct AlignedAllocator {
    using value_type = T;
    AlignedAllocator() = default;
    template <class U>
    AlignedAllocator(const AlignedAllocator<U>&) {}
    T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(64)));
    }
    void deallocate(T* data, std::size_t) { ::operator delete(data, std::align_val_t(64)); }
    template <class U>
    void construct(U* place) { // resize() leaves new bytes as they are
        ::new (static_cast<void*>(place)) U;
    }
    bool operator==(const AlignedAllocator&) const = default;
};
using AlignedBytes = std::vector<std::byte, AlignedAllocator<std::byte>>;

// The elements of `data` in the order of `map`; padding of split dimensions is zero. `out` keeps
// its memory.
void pack(const TensorData& data, const StorageMap& map, std::vector<std::byte>& out);

// Equal bytes are stored once. Offsets are multiples of 64.
class WeightsBuilder {
public:
    void reserve(std::size_t bytes) { m_bytes.reserve(bytes); }
    std::uint64_t add(std::span<const std::byte> bytes);
    AlignedBytes take() { return std::move(m_bytes); }

private:
    AlignedBytes m_bytes;
    std::map<Hash, std::uint64_t> m_known;
};

} // namespace fw
