// Layers and their order.
#include "picture/layers.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace fw::picture {
namespace {

using Adjacency = std::vector<std::vector<std::uint32_t>>;

// Marks the edges that close a cycle in a depth-first walk from the nodes in their given order.
std::vector<char> closingEdges(const LayeredInput& input) {
    Adjacency out(input.nodes.size());
    for (std::uint32_t e = 0; e < input.edges.size(); ++e)
        out[input.edges[e].from].push_back(e);
    enum : char { Unseen, Open, Done };
    std::vector<char> state(input.nodes.size(), Unseen), closing(input.edges.size(), 0);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    for (std::uint32_t root = 0; root < input.nodes.size(); ++root) {
        if (state[root] != Unseen)
            continue;
        state[root] = Open;
        stack.emplace_back(root, 0);
        while (!stack.empty()) {
            const std::uint32_t node = stack.back().first;
            if (stack.back().second == out[node].size()) {
                state[node] = Done;
                stack.pop_back();
                continue;
            }
            const std::uint32_t edge = out[node][stack.back().second++];
            const std::uint32_t next = input.edges[edge].to;
            if (state[next] == Open) {
                closing[edge] = 1;
            } else if (state[next] == Unseen) {
                state[next] = Open;
                stack.emplace_back(next, 0);
            }
        }
    }
    return closing;
}

// Longest-path layers, then nodes with more consumers than producers sink toward their consumers,
// so that inputs and constants stand beside what reads them.
std::vector<std::int32_t> layerOfNodes(const LayeredInput& input,
                                       const std::vector<char>& reversed) {
    const std::size_t count = input.nodes.size();
    Adjacency out(count), in(count);
    for (std::uint32_t e = 0; e < input.edges.size(); ++e) {
        auto [from, to] = std::pair(input.edges[e].from, input.edges[e].to);
        if (from == to)
            continue;
        if (reversed[e])
            std::swap(from, to);
        out[from].push_back(to);
        in[to].push_back(from);
    }
    std::vector<std::uint32_t> sorted;
    std::vector<std::size_t> open(count);
    for (std::uint32_t n = 0; n < count; ++n) {
        open[n] = in[n].size();
        if (open[n] == 0)
            sorted.push_back(n);
    }
    const bool anyFirst = std::any_of(input.nodes.begin(), input.nodes.end(),
                                      [](const LayeredNode& n) { return n.pin == Pin::First; });
    std::vector<std::int32_t> layer(count, 0);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const std::uint32_t n = sorted[i];
        if (anyFirst && input.nodes[n].pin != Pin::First)
            layer[n] = std::max(layer[n], 1);
        for (const std::uint32_t next : out[n]) {
            layer[next] = std::max(layer[next], layer[n] + 1);
            if (--open[next] == 0)
                sorted.push_back(next);
        }
    }
    for (auto it = sorted.rbegin(); it != sorted.rend(); ++it) {
        const std::uint32_t n = *it;
        if (input.nodes[n].pin == Pin::First || out[n].size() <= in[n].size())
            continue;
        std::int32_t least = layer[out[n].front()];
        for (const std::uint32_t next : out[n])
            least = std::min(least, layer[next]);
        layer[n] = std::max(layer[n], least - 1);
    }
    std::int32_t last = 0;
    bool anyLast = false;
    for (std::uint32_t n = 0; n < count; ++n) {
        const bool pinned = input.nodes[n].pin == Pin::Last;
        anyLast |= pinned;
        last = std::max(last, pinned ? layer[n] : layer[n] + 1);
    }
    if (anyLast)
        for (std::uint32_t n = 0; n < count; ++n)
            if (input.nodes[n].pin == Pin::Last)
                layer[n] = last;
    return layer;
}

// Per edge: see LayeredInput::longest.
std::vector<char> cutEdges(const LayeredInput& input, const std::vector<std::int32_t>& layer) {
    std::vector<char> cut(input.edges.size(), 0);
    const auto span = [&](std::uint32_t e) {
        return std::abs(layer[input.edges[e].to] - layer[input.edges[e].from]);
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> readers;
    for (std::uint32_t e = 0; e < input.edges.size(); ++e) {
        cut[e] = input.longest > 0 && span(e) > input.longest;
        if (input.mostReaders > 0)
            readers[{input.edges[e].from, input.edges[e].value}].push_back(e);
    }
    for (const auto& [value, edges] : readers) {
        if (edges.size() <= input.mostReaders)
            continue;
        const std::uint32_t nearest =
            *std::min_element(edges.begin(), edges.end(),
                              [&](std::uint32_t a, std::uint32_t b) { return span(a) < span(b); });
        for (const std::uint32_t e : edges)
            cut[e] = cut[e] || e != nearest;
    }
    return cut;
}

// More than any diagram of a few thousand boxes needs; in larger ones in proportion.
std::size_t mostDummies(const LayeredInput& input) {
    return std::max<std::size_t>(30000, 8 * input.nodes.size());
}

} // namespace

Segments::Segments(std::size_t slots, const std::vector<Made>& made)
    : m_segments(made.size()), m_first(slots + 2, 0) {
    for (const Made& one : made)
        ++m_first[static_cast<std::size_t>(one.slot) + 2];
    std::partial_sum(m_first.begin(), m_first.end(), m_first.begin());
    for (const Made& one : made)
        m_segments[m_first[static_cast<std::size_t>(one.slot) + 1]++] = one.segment;
    m_first.pop_back();
}

std::vector<char> mainEdges(const LayeredInput& input, const Layers& layers) {
    std::vector<int> producers(input.nodes.size(), 0);
    for (const LayeredEdge& edge : input.edges)
        ++producers[edge.to];
    std::vector<char> main;
    for (const LayeredEdge& edge : input.edges)
        main.push_back(layers.slots[edge.to].layer - layers.slots[edge.from].layer == 1 &&
                       (producers[edge.from] > 0 || producers[edge.to] == 1));
    return main;
}

std::vector<char> longestWay(const LayeredInput& input, const Layers& layers) {
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> byLayer(input.edges.size());
    std::iota(byLayer.begin(), byLayer.end(), 0U);
    const auto layerOf = [&](std::uint32_t node) { return layers.slots[node].layer; };
    std::stable_sort(byLayer.begin(), byLayer.end(), [&](std::uint32_t a, std::uint32_t b) {
        return layerOf(input.edges[a].from) < layerOf(input.edges[b].from);
    });
    struct Way { // that ends at a node
        std::size_t length = 0;
        double weight = 0;
        std::uint32_t edge = none;
    };
    std::vector<Way> ways(input.nodes.size());
    for (const std::uint32_t e : byLayer) {
        const LayeredEdge& edge = input.edges[e];
        if (layerOf(edge.to) - layerOf(edge.from) != 1)
            continue;
        const Way& before = ways[edge.from];
        const Way way{before.length + 1, before.weight + edge.weight, e};
        if (Way& best = ways[edge.to];
            std::pair(way.length, way.weight) > std::pair(best.length, best.weight))
            best = way;
    }
    std::vector<char> on(input.edges.size(), 0);
    std::uint32_t end = none;
    for (std::uint32_t n = 0; n < ways.size(); ++n)
        if (ways[n].edge != none &&
            (end == none || std::pair(ways[n].length, ways[n].weight) >
                                std::pair(ways[end].length, ways[end].weight)))
            end = n;
    while (end != none && ways[end].edge != none) {
        on[ways[end].edge] = 1;
        end = input.edges[ways[end].edge].from;
    }
    return on;
}

Layers assignLayers(const LayeredInput& input) {
    Layers result;
    result.reversed = closingEdges(input);
    const auto layer = layerOfNodes(input, result.reversed);
    const std::size_t count = input.nodes.size();
    result.slots.resize(count);
    for (std::size_t n = 0; n < count; ++n)
        result.slots[n] = {static_cast<std::int32_t>(n), layer[n], input.nodes[n].width,
                           input.nodes[n].height, 0};

    // Nets in order of their first edge; a reversed edge is a net of its own.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> netOf;
    const auto span = [&](std::uint32_t e) {
        return std::abs(layer[input.edges[e].to] - layer[input.edges[e].from]);
    };
    const auto upper = [&](std::uint32_t e) {
        return result.reversed[e] ? input.edges[e].to : input.edges[e].from;
    };
    const auto lower = [&](std::uint32_t e) {
        return result.reversed[e] ? input.edges[e].from : input.edges[e].to;
    };
    // The longest span with which all dummies still fit; nearly always there is no such limit.
    const std::vector<char> cut = cutEdges(input, layer);
    std::int32_t limit = INT32_MAX;
    {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> longest;
        for (std::uint32_t e = 0; e < input.edges.size(); ++e) {
            auto& value = longest[{upper(e), input.edges[e].value}];
            value = std::max(value, cut[e] ? 0 : span(e));
        }
        std::vector<std::int32_t> spans;
        for (const auto& [key, value] : longest)
            spans.push_back(value);
        std::sort(spans.begin(), spans.end());
        std::size_t used = 0;
        for (const std::int32_t value : spans) {
            used += static_cast<std::size_t>(value);
            if (used > mostDummies(input) && value > 8) {
                limit = value - 1;
                break;
            }
        }
    }
    for (std::uint32_t e = 0; e < input.edges.size(); ++e) {
        if (span(e) == 0)
            continue; // a loop on one node is not drawn
        if (cut[e]) {
            result.cut.push_back(e);
            continue;
        }
        if (span(e) > limit) {
            result.far.push_back(e);
            continue;
        }
        if (result.reversed[e]) {
            result.nets.push_back({{static_cast<std::int32_t>(upper(e))}, {e}});
            continue;
        }
        const auto [found, fresh] =
            netOf.try_emplace({input.edges[e].from, input.edges[e].value}, result.nets.size());
        if (fresh)
            result.nets.push_back({{static_cast<std::int32_t>(upper(e))}, {}});
        result.nets[found->second].edges.push_back(e);
    }
    for (Net& net : result.nets) {
        std::stable_sort(net.edges.begin(), net.edges.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return span(a) < span(b); });
        const std::int32_t length = span(net.edges.back());
        const std::int32_t top = result.slots[static_cast<std::size_t>(net.trunk[0])].layer;
        for (std::int32_t k = 1; k < length; ++k) {
            net.trunk.push_back(static_cast<std::int32_t>(result.slots.size()));
            result.slots.push_back({-1, top + k, 2, 0, 0});
        }
    }

    std::vector<Segments::Made> up, down;
    const auto connect = [&](std::int32_t a, std::int32_t b, double weight, double above,
                             double below) {
        down.push_back({a, {b, weight, above, below}});
        up.push_back({b, {a, weight, below, above}});
    };
    const auto main = mainEdges(input, result), longest = longestWay(input, result);
    const auto weightOf = [&](std::uint32_t e) { // of its last segment
        constexpr double straight = 4096;        // against all others of a layer
        return (longest[e] ? straight : main[e] ? 4 : 1) * input.edges[e].weight;
    };
    for (const Net& net : result.nets) {
        const LayeredEdge& first = input.edges[net.edges.front()];
        const bool turned = result.reversed[net.edges.front()] != 0;
        const double leave = (turned ? first.toOffset : first.fromOffset).value_or(0);
        for (std::size_t k = 1; k < net.trunk.size(); ++k)
            connect(net.trunk[k - 1], net.trunk[k], k == 1 ? 1 : 8, k == 1 ? leave : 0, 0);
        for (const std::uint32_t e : net.edges) {
            const auto depth = static_cast<std::size_t>(span(e)) - 1;
            const double arrive =
                (turned ? input.edges[e].fromOffset : input.edges[e].toOffset).value_or(0);
            connect(net.trunk[depth], static_cast<std::int32_t>(lower(e)), weightOf(e),
                    depth == 0 ? leave : 0, arrive);
        }
    }
    result.up = Segments(result.slots.size(), up);
    result.down = Segments(result.slots.size(), down);
    return result;
}

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

} // namespace

void orderLayers(Layers& layers, const CancelToken& cancel) {
    const std::size_t count = layers.slots.size();
    std::int32_t depth = 0;
    for (const Slot& slot : layers.slots)
        depth = std::max(depth, slot.layer + 1);
    layers.order.assign(static_cast<std::size_t>(depth), {});

    // First order: depth-first from the upper ends, so that chains stay together.
    std::vector<char> seen(count, 0);
    std::vector<std::int32_t> stack;
    for (std::size_t root = 0; root < count; ++root) {
        if (seen[root] || !layers.up[root].empty())
            continue;
        stack.push_back(static_cast<std::int32_t>(root));
        while (!stack.empty()) {
            const auto s = static_cast<std::size_t>(stack.back());
            stack.pop_back();
            if (seen[s])
                continue;
            seen[s] = 1;
            layers.order[static_cast<std::size_t>(layers.slots[s].layer)].push_back(
                static_cast<std::int32_t>(s));
            const auto next = layers.down[s];
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

    std::vector<std::int32_t> position(count, 0);
    const auto number = [&](std::size_t layer) {
        for (std::size_t i = 0; i < layers.order[layer].size(); ++i)
            position[static_cast<std::size_t>(layers.order[layer][i])] =
                static_cast<std::int32_t>(i);
    };
    const auto total = [&] {
        std::int64_t sum = 0;
        for (std::size_t l = 0; l + 1 < layers.order.size(); ++l)
            sum += crossings(layers, l, position);
        return sum;
    };
    for (std::size_t l = 0; l < layers.order.size(); ++l)
        number(l);

    auto best = layers.order;
    std::int64_t bestCrossings = total();
    std::vector<std::pair<double, std::int32_t>> keyed;
    std::vector<std::int32_t> scratch, fixedPlaces;
    const auto reorder = [&](std::size_t layer, const Segments& neighbours) {
        auto& order = layers.order[layer];
        keyed.clear();
        fixedPlaces.clear();
        std::vector<std::int32_t> result(order.size(), -1);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const double key =
                median(neighbours[static_cast<std::size_t>(order[i])], position, scratch);
            if (key < 0)
                result[i] = order[i]; // without neighbours a slot keeps its place
            else
                keyed.emplace_back(key, order[i]);
        }
        std::stable_sort(keyed.begin(), keyed.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::size_t next = 0;
        for (auto& place : result)
            if (place < 0)
                place = keyed[next++].second;
        order = std::move(result);
        number(layer);
    };
    const int sweeps = count < 3000 ? 12 : count < 12000 ? 6 : 3;
    int idle = 0;
    for (int sweep = 0; sweep < sweeps && bestCrossings > 0 && idle < 4 && !cancel.cancelled();
         ++sweep) {
        if (sweep % 2 == 0)
            for (std::size_t l = 1; l < layers.order.size() && !cancel.cancelled(); ++l)
                reorder(l, layers.up);
        else
            for (std::size_t l = layers.order.size() - 1; l-- > 0 && !cancel.cancelled();)
                reorder(l, layers.down);
        const std::int64_t now = total();
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
