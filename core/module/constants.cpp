#include "module/constants.h"

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
class Packer {
public:
    Packer(const TensorData& data, const std::vector<Loop>& loops, std::vector<std::byte>& out)
        : m_data(data), m_loops(loops), m_out(out), m_size(dtypeBytes(data.dtype())),
          m_index(data.extents().size(), 0), m_strides(data.extents().size(), 1) {
        for (std::size_t i = m_strides.size(); i-- > 1;)
            m_strides[i - 1] = m_strides[i] * data.extents()[i];
    }

    void run(std::size_t level, std::int64_t offset) {
        if (level == m_loops.size()) {
            for (std::size_t d = 0; d < m_index.size(); ++d)
                if (m_index[d] >= m_data.extents()[d]) {
                    m_at += m_size; // padding
                    return;
                }
            std::memcpy(m_out.data() + m_at,
                        m_data.bytes().data() + static_cast<std::size_t>(offset) * m_size, m_size);
            m_at += m_size;
            return;
        }
        const Loop& loop = m_loops[level];
        std::int64_t& index = m_index[static_cast<std::size_t>(loop.dim)];
        const std::int64_t stride = m_strides[static_cast<std::size_t>(loop.dim)] * loop.step;
        const std::int64_t before = index;
        for (std::int64_t i = 0; i < loop.extent; ++i, index += loop.step, offset += stride)
            run(level + 1, offset);
        index = before;
    }

private:
    const TensorData& m_data;
    const std::vector<Loop>& m_loops;
    std::vector<std::byte>& m_out;
    std::size_t m_size;
    std::size_t m_at = 0;
    std::vector<std::int64_t> m_index;
    std::vector<std::int64_t> m_strides;
};

} // namespace

std::vector<std::byte> packed(const TensorData& data, const StorageMap& map) {
    if (map.isRowMajor())
        return {data.bytes().begin(), data.bytes().end()};
    std::vector<Loop> loops;
    std::int64_t total = 1;
    for (const StorageAxis& axis : map.axes) {
        const std::int64_t extent = data.extents().at(static_cast<std::size_t>(axis.dim));
        Loop loop{axis.mod != 0 ? axis.mod : (extent + axis.div - 1) / axis.div, axis.dim,
                  axis.div};
        total *= loop.extent;
        loops.push_back(loop);
    }
    std::vector<std::byte> out(static_cast<std::size_t>(total) * dtypeBytes(data.dtype()));
    Packer(data, loops, out).run(0, 0);
    return out;
}

std::uint64_t WeightsBuilder::add(std::vector<std::byte> bytes) {
    const Hash hash = hashOf(std::span<const std::byte>(bytes));
    if (const auto found = m_known.find(hash); found != m_known.end())
        return found->second;
    m_bytes.resize((m_bytes.size() + alignment - 1) / alignment * alignment);
    const std::uint64_t offset = m_bytes.size();
    m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
    m_known.emplace(hash, offset);
    return offset;
}

} // namespace fw
