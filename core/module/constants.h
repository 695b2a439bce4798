// Constants in the layout that a kernel asks for, one after another in one blob of weights.
#pragma once

#include "ir/storage_map.h"
#include "ir/tensor_data.h"

#include <cstddef>
#include <map>
#include <vector>

namespace fw {

// The elements of `data` in the order of `map`; padding of split dimensions is zero.
std::vector<std::byte> packed(const TensorData& data, const StorageMap& map);

// Equal bytes are stored once. Offsets are multiples of 64.
class WeightsBuilder {
public:
    std::uint64_t add(std::vector<std::byte> bytes);
    const std::vector<std::byte>& bytes() const { return m_bytes; }
    std::vector<std::byte> take() { return std::move(m_bytes); }

private:
    std::vector<std::byte> m_bytes;
    std::map<Hash, std::uint64_t> m_known;
};

} // namespace fw
