// TensorData: constant bytes with a type. The bytes are shared and never change; they may be owned
// or part of a mapped file (the owner handle keeps the mapping alive). Row-major, little-endian.
#pragma once

#include "base/hash.h"
#include "ir/tensor_type.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fw {

class TensorData {
public:
    TensorData() = default;
    // Owns a copy of `bytes`, which must be count * dtypeBytes long.
    TensorData(DType dtype, std::vector<std::int64_t> extents, std::vector<std::byte> bytes);
    // Refers to bytes kept alive by `owner`.
    TensorData(DType dtype, std::vector<std::int64_t> extents, std::span<const std::byte> bytes,
               std::shared_ptr<const void> owner);

    DType dtype() const { return m_dtype; }
    const std::vector<std::int64_t>& extents() const { return m_extents; }
    std::span<const std::byte> bytes() const { return m_bytes; }
    std::size_t count() const;
    TensorType type() const;
    Hash hash() const; // of type and content; computed once, copies made later know it

    double at(std::size_t index) const; // any numeric dtype, as double
    std::int64_t integerAt(std::size_t index) const;
    std::vector<double> toDoubles() const;
    std::vector<std::int64_t> toIntegers() const;
    bool isUniform() const; // all elements have equal bytes (true if empty)
    TensorData reshaped(std::vector<std::int64_t> extents) const; // same count, shared bytes

    bool operator==(const TensorData& other) const; // type and content

private:
    // A hash that any thread may compute first; copies take what is known.
    class HashOnce {
    public:
        HashOnce() = default;
        HashOnce(const HashOnce& other) { *this = other; }
        HashOnce& operator=(const HashOnce& other);
        std::optional<Hash> get() const;
        void set(const Hash& hash);

    private:
        std::atomic<std::uint64_t> m_low{0};
        std::atomic<std::uint64_t> m_high{0}; // written last; 0: not known
    };

    DType m_dtype = DType::F32;
    std::vector<std::int64_t> m_extents;
    std::shared_ptr<const void> m_owner;
    std::span<const std::byte> m_bytes;
    mutable HashOnce m_hash;
};

TensorData dataFromDoubles(DType dtype, std::vector<std::int64_t> extents,
                           const std::vector<double>& values);
TensorData dataFromIntegers(DType dtype, std::vector<std::int64_t> extents,
                            const std::vector<std::int64_t>& values);
// Seeded, the same on every machine: floats in [-1, 1), integers in [0, 10), booleans.
TensorData randomData(DType dtype, std::vector<std::int64_t> extents, std::uint64_t seed);
// Small integers -4..4 as any dtype, for tests that demand exact equality.
TensorData randomIntegers(DType dtype, std::vector<std::int64_t> extents, std::uint64_t seed);

} // namespace fw
