#include "module/constants.h"

#include <fmt/format.h>

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

std::optional<KnownWeights::Piece> KnownWeights::find(const Hash& content) const {
    const std::lock_guard lock(m_mutex);
    for (const auto& [pieces, blob] : m_blobs) {
        const auto found = blob.places.find(content);
        if (found == blob.places.end())
            continue;
        if (auto bytes = blob.bytes.lock()) {
            const StoredPiece& place = found->second;
            const std::span<const std::byte> own =
                std::span(*bytes).subspan(place.offset, place.size);
            return Piece{place.hash, own, std::move(bytes)};
        }
    }
    return std::nullopt;
}

std::shared_ptr<const AlignedBytes> KnownWeights::findBlob(const Hash& pieces) const {
    const std::lock_guard lock(m_mutex);
    const auto found = m_blobs.find(pieces);
    return found == m_blobs.end() ? nullptr : found->second.bytes.lock();
}

void KnownWeights::add(const Hash& pieces, const std::shared_ptr<const AlignedBytes>& blob,
                       StoredPieces places) {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_blobs, [](const auto& one) { return one.second.bytes.expired(); });
    Blob& own = m_blobs[pieces];
    own.bytes = blob;
    own.places.merge(places);
}

Result<std::uint64_t> WeightsBuilder::add(const Hash& content, const Make& make) {
    if (m_known != nullptr)
        if (auto piece = m_known->find(content))
            return place(content, std::move(*piece));
    FW_TRY(const std::span<const std::byte> bytes, make());
    m_madeBytes += bytes.size();
    if (!m_storing)
        storeAll();
    return place(content, {hashOf(bytes), bytes, nullptr});
}

std::uint64_t WeightsBuilder::place(const Hash& content, KnownWeights::Piece piece) {
    const std::uint64_t next = (m_end + alignment - 1) / alignment * alignment;
    const auto [known, isNew] = m_offsets.emplace(piece.hash, next);
    const std::uint64_t offset = known->second;
    m_places.emplace(content, KnownWeights::StoredPiece{piece.hash, offset, piece.bytes.size()});
    if (!isNew)
        return offset;
    m_end = offset + piece.bytes.size();
    if (m_storing)
        store(piece.bytes);
    m_pieces.push_back(std::move(piece));
    return offset;
}

void WeightsBuilder::store(std::span<const std::byte> bytes) {
    const std::size_t end = m_bytes.size();
    const std::size_t offset = (end + alignment - 1) / alignment * alignment;
    m_bytes.resize(offset + bytes.size());
    std::fill(m_bytes.begin() + static_cast<std::ptrdiff_t>(end),
              m_bytes.begin() + static_cast<std::ptrdiff_t>(offset), std::byte{0});
    if (!bytes.empty())
        std::memcpy(m_bytes.data() + offset, bytes.data(), bytes.size());
}

void WeightsBuilder::storeAll() {
    m_storing = true;
    m_bytes.reserve(std::max(m_expected, static_cast<std::size_t>(m_end)));
    for (const KnownWeights::Piece& piece : m_pieces)
        store(piece.bytes);
}

std::shared_ptr<const AlignedBytes> WeightsBuilder::take() {
    std::string all;
    for (const KnownWeights::Piece& piece : m_pieces)
        all += fmt::format("{} {} ", piece.hash.hex(), piece.bytes.size());
    const Hash pieces = hashOf(all);
    std::shared_ptr<const AlignedBytes> blob;
    if (!m_storing && m_known != nullptr)
        blob = m_known->findBlob(pieces);
    if (!blob) {
        if (!m_storing)
            storeAll();
        blob = std::make_shared<const AlignedBytes>(std::move(m_bytes));
    }
    if (m_known != nullptr)
        m_known->add(pieces, blob, std::move(m_places));
    return blob;
}

} // namespace fw
