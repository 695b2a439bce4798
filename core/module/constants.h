// Constants in the layout that a kernel asks for, one after another in one blob of weights.
#pragma once

#include "base/result.h"
#include "ir/storage_map.h"
#include "ir/tensor_data.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
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

// Where packed constants lie in the weights of modules that are still there, so that the next
// module shares the blob if it has the same constants in the same order, and copies single ones
// else. Holds no bytes: what no module holds any more is packed again. From any thread.
class KnownWeights {
public:
    struct Piece {
        Hash hash; // of the bytes
        std::span<const std::byte> bytes;
        std::shared_ptr<const AlignedBytes> blob; // that holds them
    };
    // `content`: of what the bytes are made from, and how.
    std::optional<Piece> find(const Hash& content) const;

private:
    friend class WeightsBuilder;
    struct StoredPiece {
        Hash hash;
        std::uint64_t offset = 0;
        std::size_t size = 0;
    };
    using StoredPieces = std::map<Hash, StoredPiece>; // by content
    struct Blob {
        std::weak_ptr<const AlignedBytes> bytes;
        StoredPieces places;
    };
    // `pieces`: of all pieces of a blob, in order.
    std::shared_ptr<const AlignedBytes> findBlob(const Hash& pieces) const;
    void add(const Hash& pieces, const std::shared_ptr<const AlignedBytes>& blob,
             StoredPieces places);

    mutable std::mutex m_mutex;
    std::map<Hash, Blob> m_blobs; // by their pieces
};

// Equal bytes are stored once. Offsets are multiples of 64.
class WeightsBuilder {
public:
    // `expected`: about how many bytes there will be.
    explicit WeightsBuilder(std::size_t expected = 0, KnownWeights* known = nullptr)
        : m_known(known), m_expected(expected) {}

    // `make` returns the bytes, valid until the next call; it is not asked if a module has them.
    using Make = std::function<Result<std::span<const std::byte>>()>;
    Result<std::uint64_t> add(const Hash& content, const Make& make);
    std::shared_ptr<const AlignedBytes> take();
    std::size_t madeBytes() const { return m_madeBytes; }

private:
    std::uint64_t place(const Hash& content, KnownWeights::Piece piece);
    void store(std::span<const std::byte> bytes);
    void storeAll(); // from now on every piece is stored as it comes

    KnownWeights* m_known;
    std::size_t m_expected;
    std::size_t m_madeBytes = 0;
    std::uint64_t m_end = 0;
    bool m_storing = false;
    AlignedBytes m_bytes;
    std::vector<KnownWeights::Piece> m_pieces; // in order; of those that were made only the sizes
    std::map<Hash, std::uint64_t> m_offsets;   // by the hash of the bytes
    KnownWeights::StoredPieces m_places;
};

} // namespace fw
