// x positions: for each layer in turn the places nearest to what the neighbours want, given the
// order and the least distances. With y_i = x_i - (sum of distances left of i) the condition
// becomes y ascending, and the weighted least-squares answer is found exactly by pooling adjacent
// violators.
#include "picture/layers.h"

#include <algorithm>
#include <cmath>

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
    const auto add = [&](const std::vector<Segment>& segments) {
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

} // namespace

void placeLayers(Layers& layers, double nodeGap, const CancelToken& cancel) {
    const auto gap = [&](const Slot& a, const Slot& b) {
        const bool boxes = a.node >= 0 && b.node >= 0 && a.width > 4 && b.width > 4;
        const bool lines = !boxes && a.width <= 4 && b.width <= 4;
        return (a.width + b.width) / 2 + (boxes ? nodeGap : lines ? 14 : nodeGap * 0.75);
    };
    for (const auto& order : layers.order) {
        double x = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            auto& slot = layers.slots[static_cast<std::size_t>(order[i])];
            if (i > 0)
                x += gap(layers.slots[static_cast<std::size_t>(order[i - 1])], slot);
            slot.x = x;
        }
        for (const std::int32_t s : order)
            layers.slots[static_cast<std::size_t>(s)].x -= x / 2;
    }

    // A block of slots that stand as close as they may; its place is the weighted median of its
    // wishes, so that a strong line stays straight and only the weaker one beside it moves.
    struct Block {
        double value = 0;
        std::vector<std::pair<double, double>> wishes; // place, weight; ascending
    };
    const auto settle = [](Block& block) {
        double sum = 0;
        for (const auto& [value, weight] : block.wishes)
            sum += weight;
        double running = 0;
        for (std::size_t i = 0; i < block.wishes.size(); ++i) {
            running += block.wishes[i].second;
            if (running * 2 < sum)
                continue;
            block.value = block.wishes[i].first;
            if (running * 2 == sum && i + 1 < block.wishes.size())
                block.value = (block.value + block.wishes[i + 1].first) / 2;
            return;
        }
    };
    std::vector<Block> blocks;
    std::vector<double> shift;
    std::vector<std::pair<double, double>> scratch;
    const auto solve = [&](std::size_t layer, bool above, bool below) {
        const auto& order = layers.order[layer];
        blocks.clear();
        shift.assign(order.size(), 0);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto s = static_cast<std::size_t>(order[i]);
            if (i > 0)
                shift[i] = shift[i - 1] + gap(layers.slots[static_cast<std::size_t>(order[i - 1])],
                                              layers.slots[s]);
            const Wish w = wish(layers, s, above, below, scratch);
            blocks.push_back({w.x - shift[i], {{w.x - shift[i], w.weight}}});
            while (blocks.size() > 1 && blocks[blocks.size() - 2].value > blocks.back().value) {
                Block last = std::move(blocks.back());
                blocks.pop_back();
                auto& into = blocks.back().wishes;
                const auto middle = static_cast<std::ptrdiff_t>(into.size());
                into.insert(into.end(), last.wishes.begin(), last.wishes.end());
                std::inplace_merge(into.begin(), into.begin() + middle, into.end());
                settle(blocks.back());
            }
        }
        std::size_t i = 0;
        for (const Block& block : blocks)
            for (std::size_t k = 0; k < block.wishes.size(); ++k, ++i)
                layers.slots[static_cast<std::size_t>(order[i])].x = block.value + shift[i];
    };
    const std::size_t depth = layers.order.size();
    const int rounds = layers.slots.size() < 5000 ? 6 : 3;
    for (int round = 0; round < rounds && !cancel.cancelled(); ++round) {
        for (std::size_t l = 1; l < depth; ++l)
            solve(l, true, false);
        for (std::size_t l = depth; l-- > 0;)
            solve(l, round + 1 == rounds, true);
        if (round + 1 == rounds)
            for (std::size_t l = 1; l < depth; ++l)
                solve(l, true, true);
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
