// x positions: for each layer in turn the places nearest to what the neighbours want, given the
// order and the least distances. With y_i = x_i - (sum of distances left of i) the condition
// becomes y ascending, and the weighted least-squares answer is found exactly by pooling adjacent
// violators.
#include "picture/layers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fw::picture {
namespace {

struct Wish {
    double x = 0, weight = 0;
};

// Where the neighbours would like the slot: the weighted median, so that it lines up with one of
// them instead of standing between all.
Wish wish(const Layers& layers, std::size_t s, bool above, bool below,
          std::vector<std::pair<double, double>>& scratch) {
    scratch.clear();
    const auto add = [&](std::span<const Segment> segments) {
        for (const Segment& g : segments)
            scratch.emplace_back(layers.slots[static_cast<std::size_t>(g.slot)].x + g.otherOffset -
                                     g.offset,
                                 g.weight);
    };
    if (above)
        add(layers.up[s]);
    if (below)
        add(layers.down[s]);
    if (scratch.empty())
        return {layers.slots[s].x, 0.01};
    std::sort(scratch.begin(), scratch.end());
    double sum = 0;
    for (const auto& [x, weight] : scratch)
        sum += weight;
    double running = 0;
    for (std::size_t i = 0; i < scratch.size(); ++i) {
        running += scratch[i].second;
        if (running * 2 == sum && i + 1 < scratch.size())
            return {(scratch[i].first + scratch[i + 1].first) / 2, sum};
        if (running * 2 > sum)
            return {scratch[i].first, sum};
    }
    return {scratch.back().first, sum};
}

// Weighted medians of runs of a list, each in logarithmic time: a tree of weights by rank for every
// beginning of the list, sharing what is equal.
class RangeMedian {
public:
    void reset(const std::vector<Wish>& wishes) {
        m_sorted.clear();
        for (std::size_t i = 0; i < wishes.size(); ++i)
            m_sorted.emplace_back(wishes[i].x, i);
        std::sort(m_sorted.begin(), m_sorted.end());
        std::vector<std::uint32_t> rank(wishes.size());
        for (std::uint32_t r = 0; r < m_sorted.size(); ++r)
            rank[m_sorted[r].second] = r;
        m_nodes.assign(1, {});
        m_roots.assign(1, 0);
        for (std::size_t i = 0; i < wishes.size(); ++i)
            m_roots.push_back(with(m_roots.back(), rank[i], std::llround(wishes[i].weight * 100), 0,
                                   wishes.size()));
    }
    // Of the places [first, end): between the two halves if they are of equal weight.
    double of(std::size_t first, std::size_t end) const {
        const std::int64_t sum = m_nodes[m_roots[end]].weight - m_nodes[m_roots[first]].weight;
        return (place(first, end, (sum + 1) / 2) + place(first, end, sum / 2 + 1)) / 2;
    }

private:
    struct Node {
        std::int64_t weight = 0; // in hundredths
        std::uint32_t left = 0, right = 0;
    };

    std::uint32_t with(std::uint32_t old, std::uint32_t rank, std::int64_t weight, std::size_t from,
                       std::size_t to) {
        const auto made = static_cast<std::uint32_t>(m_nodes.size());
        m_nodes.push_back(m_nodes[old]);
        m_nodes[made].weight += weight;
        if (to - from > 1) {
            const std::size_t middle = (from + to) / 2;
            if (rank < middle) {
                const std::uint32_t left = with(m_nodes[old].left, rank, weight, from, middle);
                m_nodes[made].left = left;
            } else {
                const std::uint32_t right = with(m_nodes[old].right, rank, weight, middle, to);
                m_nodes[made].right = right;
            }
        }
        return made;
    }
    // Where the weights, summed from the least place on, reach `weight`.
    double place(std::size_t first, std::size_t end, std::int64_t weight) const {
        std::uint32_t before = m_roots[first], after = m_roots[end];
        std::size_t from = 0, to = m_sorted.size();
        while (to - from > 1) {
            const std::size_t middle = (from + to) / 2;
            const std::int64_t left =
                m_nodes[m_nodes[after].left].weight - m_nodes[m_nodes[before].left].weight;
            const bool isLeft = left >= weight;
            before = isLeft ? m_nodes[before].left : m_nodes[before].right;
            after = isLeft ? m_nodes[after].left : m_nodes[after].right;
            weight -= isLeft ? 0 : left;
            (isLeft ? to : from) = middle;
        }
        return m_sorted[from].first;
    }

    std::vector<std::pair<double, std::size_t>> m_sorted; // place and index, ascending
    std::vector<Node> m_nodes;                            // the first is the empty tree
    std::vector<std::uint32_t> m_roots;                   // by number of wishes
};

class Placing {
public:
    Placing(Layers& layers, double nodeGap) : m_layers(layers), m_nodeGap(nodeGap) {
        for (const auto& order : layers.order) {
            double x = 0;
            for (std::size_t i = 0; i < order.size(); ++i) {
                if (i > 0)
                    x += gap(order[i - 1], order[i]);
                slot(order[i]).x = x;
            }
            for (const std::int32_t s : order)
                slot(s).x -= x / 2;
        }
    }

    // Moves the slots of a layer to where their neighbours above and below want them.
    void solve(std::size_t layer, bool above, bool below) {
        const auto& order = m_layers.order[layer];
        m_shift.assign(order.size(), 0);
        m_wishes.clear();
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i > 0)
                m_shift[i] = m_shift[i - 1] + gap(order[i - 1], order[i]);
            const Wish w =
                wish(m_layers, static_cast<std::size_t>(order[i]), above, below, m_scratch);
            m_wishes.push_back({w.x - m_shift[i], w.weight});
        }
        m_medians.reset(m_wishes);
        m_blocks.clear();
        for (std::size_t i = 0; i < order.size(); ++i) {
            m_blocks.push_back({i, m_wishes[i].x});
            while (m_blocks.size() > 1 &&
                   m_blocks[m_blocks.size() - 2].value > m_blocks.back().value) {
                m_blocks.pop_back();
                m_blocks.back().value = m_medians.of(m_blocks.back().first, i + 1);
            }
        }
        for (std::size_t b = 0; b < m_blocks.size(); ++b) {
            const std::size_t end = b + 1 < m_blocks.size() ? m_blocks[b + 1].first : order.size();
            for (std::size_t i = m_blocks[b].first; i < end; ++i)
                slot(order[i]).x = m_blocks[b].value + m_shift[i];
        }
    }

private:
    Slot& slot(std::int32_t s) { return m_layers.slots[static_cast<std::size_t>(s)]; }

    // Between the centres of neighbours.
    double gap(std::int32_t left, std::int32_t right) {
        const Slot &a = slot(left), &b = slot(right);
        const bool boxes = a.node >= 0 && b.node >= 0 && a.width > 4 && b.width > 4;
        const bool lines = !boxes && a.width <= 4 && b.width <= 4;
        return (a.width + b.width) / 2 + (boxes ? m_nodeGap : lines ? 14 : m_nodeGap * 0.75);
    }

    // A block of slots that stand as close as they may; its place is the weighted median of its
    // wishes, so that a strong line stays straight and only the weaker one beside it moves.
    struct Block {
        std::size_t first = 0; // of the layer; it goes on to the next block
        double value = 0;
    };

    Layers& m_layers;
    double m_nodeGap;
    std::vector<Block> m_blocks;
    std::vector<double> m_shift;
    std::vector<Wish> m_wishes;
    std::vector<std::pair<double, double>> m_scratch;
    RangeMedian m_medians;
};

} // namespace

void placeLayers(Layers& layers, double nodeGap, const CancelToken& cancel) {
    Placing placing(layers, nodeGap);
    const std::size_t depth = layers.order.size();
    const int rounds = layers.slots.size() < 5000 ? 6 : 3;
    for (int round = 0; round < rounds && !cancel.cancelled(); ++round) {
        for (std::size_t l = 1; l < depth && !cancel.cancelled(); ++l)
            placing.solve(l, true, false);
        for (std::size_t l = depth; l-- > 0 && !cancel.cancelled();)
            placing.solve(l, round + 1 == rounds, true);
        if (round + 1 == rounds)
            for (std::size_t l = 1; l < depth && !cancel.cancelled(); ++l)
                placing.solve(l, true, true);
    }
    // Whole pixels: equal places stay equal, so straight lines stay straight and crisp.
    double left = 0;
    bool any = false;
    for (const Slot& slot : layers.slots) {
        left = any ? std::min(left, slot.x - slot.width / 2) : slot.x - slot.width / 2;
        any = true;
    }
    for (Slot& slot : layers.slots)
        slot.x = std::round(slot.x - left);
}

} // namespace fw::picture
