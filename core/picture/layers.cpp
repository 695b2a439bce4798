// Layers, and what passes them.
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

namespace {

// Nets, dummies and segments, made of the layers of the nodes.
class Assignment {
public:
    explicit Assignment(const LayeredInput& input) : m_input(input) {
        m_out.reversed = closingEdges(input);
        m_layer = layerOfNodes(input, m_out.reversed);
        m_cut = cutEdges(input, m_layer);
        m_out.slots.resize(input.nodes.size());
        for (std::size_t n = 0; n < input.nodes.size(); ++n)
            m_out.slots[n] = {static_cast<std::int32_t>(n), m_layer[n], input.nodes[n].width,
                              input.nodes[n].height, 0};
    }
    Layers take() {
        addNets(longestSpan());
        addDummies();
        addSegments();
        return std::move(m_out);
    }

private:
    std::int32_t span(std::uint32_t e) const {
        return std::abs(m_layer[m_input.edges[e].to] - m_layer[m_input.edges[e].from]);
    }
    std::uint32_t upper(std::uint32_t e) const {
        return m_out.reversed[e] ? m_input.edges[e].to : m_input.edges[e].from;
    }
    std::uint32_t lower(std::uint32_t e) const {
        return m_out.reversed[e] ? m_input.edges[e].from : m_input.edges[e].to;
    }

    // With which all dummies still fit; nearly always there is no such limit.
    std::int32_t longestSpan() const {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> longest;
        for (std::uint32_t e = 0; e < m_input.edges.size(); ++e) {
            auto& value = longest[{upper(e), m_input.edges[e].value}];
            value = std::max(value, m_cut[e] ? 0 : span(e));
        }
        std::vector<std::int32_t> spans;
        for (const auto& [key, value] : longest)
            spans.push_back(value);
        std::sort(spans.begin(), spans.end());
        std::size_t used = 0;
        for (const std::int32_t value : spans) {
            used += static_cast<std::size_t>(value);
            if (used > mostDummies(m_input) && value > 8)
                return value - 1;
        }
        return INT32_MAX;
    }

    // In order of their first edge; a reversed edge is a net of its own.
    void addNets(std::int32_t limit) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> netOf;
        for (std::uint32_t e = 0; e < m_input.edges.size(); ++e) {
            if (span(e) == 0)
                continue; // a loop on one node is not drawn
            if (m_cut[e]) {
                m_out.cut.push_back(e);
                continue;
            }
            if (span(e) > limit) {
                m_out.far.push_back(e);
                continue;
            }
            if (m_out.reversed[e]) {
                m_out.nets.push_back({{static_cast<std::int32_t>(upper(e))}, {e}});
                continue;
            }
            const auto [found, fresh] = netOf.try_emplace(
                {m_input.edges[e].from, m_input.edges[e].value}, m_out.nets.size());
            if (fresh)
                m_out.nets.push_back({{static_cast<std::int32_t>(upper(e))}, {}});
            m_out.nets[found->second].edges.push_back(e);
        }
    }

    void addDummies() {
        for (Net& net : m_out.nets) {
            std::stable_sort(net.edges.begin(), net.edges.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return span(a) < span(b); });
            const std::int32_t length = span(net.edges.back());
            const std::int32_t top = m_out.slots[static_cast<std::size_t>(net.trunk[0])].layer;
            for (std::int32_t k = 1; k < length; ++k) {
                net.trunk.push_back(static_cast<std::int32_t>(m_out.slots.size()));
                m_out.slots.push_back({-1, top + k, 2, 0, 0});
            }
        }
    }

    void addSegments() {
        std::vector<Segments::Made> up, down;
        const auto connect = [&](std::int32_t a, std::int32_t b, double weight, double above,
                                 double below) {
            down.push_back({a, {b, weight, above, below}});
            up.push_back({b, {a, weight, below, above}});
        };
        const auto main = mainEdges(m_input, m_out), longest = longestWay(m_input, m_out);
        const auto weightOf = [&](std::uint32_t e) { // of its last segment
            constexpr double straight = 4096;        // against all others of a layer
            return (longest[e] ? straight : main[e] ? 4 : 1) * m_input.edges[e].weight;
        };
        for (const Net& net : m_out.nets) {
            const LayeredEdge& first = m_input.edges[net.edges.front()];
            const bool turned = m_out.reversed[net.edges.front()] != 0;
            const double leave = (turned ? first.toOffset : first.fromOffset).value_or(0);
            for (std::size_t k = 1; k < net.trunk.size(); ++k)
                connect(net.trunk[k - 1], net.trunk[k], k == 1 ? 1 : 8, k == 1 ? leave : 0, 0);
            for (const std::uint32_t e : net.edges) {
                const auto depth = static_cast<std::size_t>(span(e)) - 1;
                const double arrive =
                    (turned ? m_input.edges[e].fromOffset : m_input.edges[e].toOffset).value_or(0);
                connect(net.trunk[depth], static_cast<std::int32_t>(lower(e)), weightOf(e),
                        depth == 0 ? leave : 0, arrive);
            }
        }
        m_out.up = Segments(m_out.slots.size(), up);
        m_out.down = Segments(m_out.slots.size(), down);
    }

    const LayeredInput& m_input;
    std::vector<std::int32_t> m_layer; // per node
    std::vector<char> m_cut;           // per edge
    Layers m_out;
};

} // namespace

Layers assignLayers(const LayeredInput& input) {
    return Assignment(input).take();
}

} // namespace fw::picture
