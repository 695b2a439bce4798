#include "picture/layout_memo.h"

#include "base/hash.h"

#include <bit>

namespace fw::picture {

namespace {

constexpr std::size_t mostNodes = 20000; // with a few hundred bytes each

std::uint64_t hashOf(const LayeredInput& input) {
    std::uint64_t out = mixHash(input.nodes.size(), input.edges.size());
    const auto add = [&](double value) { out = mixHash(out, std::bit_cast<std::uint64_t>(value)); };
    for (const LayeredNode& node : input.nodes) {
        add(node.width);
        add(node.height);
    }
    for (const LayeredEdge& edge : input.edges) {
        out = mixHash(out, std::uint64_t{edge.from} << 32 | edge.to);
        out = mixHash(out, edge.value);
        add(edge.fromOffset.value_or(-1e9));
        add(edge.toOffset.value_or(-1e9));
    }
    return out;
}

} // namespace

Result<LayeredOutput> LayoutMemo::layOut(const LayeredInput& input, const CancelToken& cancel) {
    const std::uint64_t hash = hashOf(input);
    const auto [from, to] = m_kept.equal_range(hash);
    for (auto it = from; it != to; ++it)
        if (it->second.input == input) {
            it->second.used = m_picture;
            return it->second.output;
        }
    FW_TRY(LayeredOutput made, layered(input, cancel));
    ++m_made;
    m_nodes += input.nodes.size();
    m_kept.emplace(hash, MadeLayout{input, made, m_picture});
    return made;
}

void LayoutMemo::endPicture() {
    if (m_nodes > mostNodes)
        std::erase_if(m_kept, [&](const auto& entry) {
            const bool old = entry.second.used + 1 < m_picture;
            m_nodes -= old ? entry.second.input.nodes.size() : 0;
            return old;
        });
    ++m_picture;
}

} // namespace fw::picture
