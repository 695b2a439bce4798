// The order within layers, with few crossings.
#include "picture/layers.h"

#include <algorithm>
#include <numeric>

namespace fw::picture {
namespace {

// Crossings between two neighbouring layers, counted with a Fenwick tree.
std::int64_t crossings(const Layers& layers, std::size_t upper,
                       const std::vector<std::int32_t>& position) {
    std::vector<std::int32_t> ends;
    std::vector<std::int32_t> own;
    for (const std::int32_t s : layers.order[upper]) {
        own.clear();
        for (const Segment& segment : layers.down[static_cast<std::size_t>(s)])
            own.push_back(position[static_cast<std::size_t>(segment.slot)]);
        std::sort(own.begin(), own.end());
        ends.insert(ends.end(), own.begin(), own.end());
    }
    const std::size_t width = layers.order[upper + 1].size();
    std::vector<std::int64_t> tree(width + 1, 0);
    std::int64_t total = 0, seen = 0;
    for (const std::int32_t end : ends) {
        std::int64_t notRight = 0;
        for (auto i = static_cast<std::size_t>(end) + 1; i > 0; i &= i - 1)
            notRight += tree[i];
        total += seen - notRight;
        ++seen;
        for (auto i = static_cast<std::size_t>(end) + 1; i <= width; i += i & (~i + 1))
            ++tree[i];
    }
    return total;
}

// The weighted median of Gansner et al.; -1 without neighbours.
double median(std::span<const Segment> segments, const std::vector<std::int32_t>& position,
              std::vector<std::int32_t>& scratch) {
    scratch.clear();
    for (const Segment& segment : segments)
        scratch.push_back(position[static_cast<std::size_t>(segment.slot)]);
    std::sort(scratch.begin(), scratch.end());
    const std::size_t count = scratch.size(), middle = count / 2;
    if (count == 0)
        return -1;
    if (count % 2 == 1)
        return scratch[middle];
    if (count == 2)
        return (scratch[0] + scratch[1]) / 2.0;
    const double left = scratch[middle - 1] - scratch[0];
    const double right = scratch[count - 1] - scratch[middle];
    if (left + right == 0)
        return scratch[middle];
    return (scratch[middle - 1] * right + scratch[middle] * left) / (left + right);
}

// An order that sweeps improve. It is a first order until sweep() is called.
class Ordering {
public:
    explicit Ordering(Layers& layers) : m_layers(layers), m_position(layers.slots.size(), 0) {
        std::int32_t depth = 0;
        for (const Slot& slot : layers.slots)
            depth = std::max(depth, slot.layer + 1);
        layers.order.assign(static_cast<std::size_t>(depth), {});
        walk();
        for (std::size_t l = 0; l < layers.order.size(); ++l)
            number(l);
    }

    std::int64_t allCrossings() const {
        std::int64_t sum = 0;
        for (std::size_t l = 0; l + 1 < m_layers.order.size(); ++l)
            sum += crossings(m_layers, l, m_position);
        return sum;
    }

    void sweep(bool downwards, const CancelToken& cancel) {
        if (downwards)
            for (std::size_t l = 1; l < m_layers.order.size() && !cancel.cancelled(); ++l)
                reorder(l, m_layers.up);
        else
            for (std::size_t l = m_layers.order.size() - 1; l-- > 0 && !cancel.cancelled();)
                reorder(l, m_layers.down);
    }

private:
    // Depth-first from the upper ends, so that chains stay together.
    void walk() {
        std::vector<char> seen(m_layers.slots.size(), 0);
        std::vector<std::int32_t> stack;
        for (std::size_t root = 0; root < seen.size(); ++root) {
            if (seen[root] || !m_layers.up[root].empty())
                continue;
            stack.push_back(static_cast<std::int32_t>(root));
            while (!stack.empty()) {
                const auto s = static_cast<std::size_t>(stack.back());
                stack.pop_back();
                if (seen[s])
                    continue;
                seen[s] = 1;
                m_layers.order[static_cast<std::size_t>(m_layers.slots[s].layer)].push_back(
                    static_cast<std::int32_t>(s));
                const auto next = m_layers.down[s];
                // The heaviest segment is walked first: it is the main path.
                std::vector<std::size_t> by(next.size());
                std::iota(by.begin(), by.end(), std::size_t{0});
                std::stable_sort(by.begin(), by.end(), [&](std::size_t a, std::size_t b) {
                    return next[a].weight > next[b].weight;
                });
                for (auto it = by.rbegin(); it != by.rend(); ++it)
                    if (!seen[static_cast<std::size_t>(next[*it].slot)])
                        stack.push_back(next[*it].slot);
            }
        }
    }

    void number(std::size_t layer) {
        const auto& order = m_layers.order[layer];
        for (std::size_t i = 0; i < order.size(); ++i)
            m_position[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    }

    void reorder(std::size_t layer, const Segments& neighbours) {
        auto& order = m_layers.order[layer];
        m_keyed.clear();
        std::vector<std::int32_t> result(order.size(), -1);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const double key =
                median(neighbours[static_cast<std::size_t>(order[i])], m_position, m_scratch);
            if (key < 0)
                result[i] = order[i]; // without neighbours a slot keeps its place
            else
                m_keyed.emplace_back(key, order[i]);
        }
        std::stable_sort(m_keyed.begin(), m_keyed.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::size_t next = 0;
        for (auto& place : result)
            if (place < 0)
                place = m_keyed[next++].second;
        order = std::move(result);
        number(layer);
    }

    Layers& m_layers;
    std::vector<std::int32_t> m_position; // of slots in their layers
    std::vector<std::pair<double, std::int32_t>> m_keyed;
    std::vector<std::int32_t> m_scratch;
};

} // namespace

void orderLayers(Layers& layers, const CancelToken& cancel) {
    Ordering ordering(layers);
    auto best = layers.order;
    std::int64_t bestCrossings = ordering.allCrossings();
    const std::size_t count = layers.slots.size();
    const int sweeps = count < 3000 ? 12 : count < 12000 ? 6 : 3;
    int idle = 0;
    for (int sweep = 0; sweep < sweeps && bestCrossings > 0 && idle < 4 && !cancel.cancelled();
         ++sweep) {
        ordering.sweep(sweep % 2 == 0, cancel);
        const std::int64_t now = ordering.allCrossings();
        ++idle;
        if (now < bestCrossings) {
            bestCrossings = now;
            best = layers.order;
            idle = 0;
        }
    }
    layers.order = std::move(best);
}

} // namespace fw::picture
