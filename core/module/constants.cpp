#include "module/constants.h"

#include <algorithm>
#include <cstring>

namespace fw {

namespace {

constexpr std::size_t alignment = 64;

struct Loop {
    std::int64_t extent = 1;
    std::int64_t dim = 0;
    std::int64_t step = 1; // added to the logical index per iteration
};

// Copies one physical axis after another; `index` holds the logical indices reached so far.
template <class T>
class Packer {
public:
    Packer(const TensorData& data, const std::vector<Loop>& loops, std::byte* out)
        : m_extents(data.extents()), m_source(reinterpret_cast<const T*>(data.bytes().data())),
          m_loops(loops), m_out(reinterpret_cast<T*>(out)), m_index(data.extents().size(), 0),
          m_strides(data.extents().size(), 1) {
        for (std::size_t i = m_strides.size(); i-- > 1;)
            m_strides[i - 1] = m_strides[i] * data.extents()[i];
    }

    void run(std::size_t level, std::int64_t offset) {
        const Loop& loop = m_loops[level];
        const auto dim = static_cast<std::size_t>(loop.dim);
        std::int64_t& index = m_index[dim];
        const std::int64_t stride = m_strides[dim] * loop.step, before = index;
        // Beyond the extent lies padding, whatever the axes inside add.
        const std::int64_t inside = std::clamp<std::int64_t>(
            (m_extents[dim] - index + loop.step - 1) / loop.step, 0, loop.extent);
        if (level + 1 == m_loops.size()) {
            for (std::int64_t i = 0; i < inside; ++i, offset += stride)
                m_out[i] = m_source[offset];
            std::fill(m_out + inside, m_out + loop.extent, T());
            m_out += loop.extent;
            return;
        }
        for (std::int64_t i = 0; i < inside; ++i, index += loop.step, offset += stride)
            run(level + 1, offset);
        index = before;
        std::int64_t padding = loop.extent - inside;
        for (std::size_t i = level + 1; i < m_loops.size(); ++i)
            padding *= m_loops[i].extent;
        std::fill(m_out, m_out + padding, T());
        m_out += padding;
    }

private:
    const std::vector<std::int64_t>& m_extents;
    const T* m_source;
    const std::vector<Loop>& m_loops;
    T* m_out;
    std::vector<std::int64_t> m_index;
    std::vector<std::int64_t> m_strides;
};

} // namespace

void pack(const TensorData& data, const StorageMap& map, std::vector<std::byte>& out) {
    if (map.isRowMajor()) {
        out.assign(data.bytes().begin(), data.bytes().end());
        return;
    }
    std::vector<Loop> loops;
    std::int64_t total = 1;
    for (const StorageAxis& axis : map.axes) {
        const std::int64_t extent = data.extents().at(static_cast<std::size_t>(axis.dim));
        Loop loop{axis.mod != 0 ? axis.mod : (extent + axis.div - 1) / axis.div, axis.dim,
                  axis.div};
        total *= loop.extent;
        loops.push_back(loop);
    }
    const std::size_t size = dtypeBytes(data.dtype());
    out.resize(static_cast<std::size_t>(total) * size);
    if (total == 0)
        return;
    switch (size) {
    case 1:
        return Packer<std::uint8_t>(data, loops, out.data()).run(0, 0);
    case 2:
        return Packer<std::uint16_t>(data, loops, out.data()).run(0, 0);
    case 4:
        return Packer<std::uint32_t>(data, loops, out.data()).run(0, 0);
    case 8:
        return Packer<std::uint64_t>(data, loops, out.data()).run(0, 0);
    default:
        throw InternalError("elements of this size are not packed");
    }
}

std::uint64_t WeightsBuilder::add(std::span<const std::byte> bytes) {
    const Hash hash = hashOf(bytes);
    if (const auto found = m_known.find(hash); found != m_known.end())
        return found->second;
    const std::size_t end = m_bytes.size();
    const std::size_t offset = (end + alignment - 1) / alignment * alignment;
    m_bytes.resize(offset + bytes.size());
    std::fill(m_bytes.begin() + static_cast<std::ptrdiff_t>(end),
              m_bytes.begin() + static_cast<std::ptrdiff_t>(offset), std::byte{0});
    if (!bytes.empty())
        std::memcpy(m_bytes.data() + offset, bytes.data(), bytes.size());
    m_known.emplace(hash, offset);
    return offset;
}

} // namespace fw
