// y positions and edge paths. Edges bend only between layers; inside a layer they run straight
// down.
#include "picture/layers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>

namespace fw::picture {
namespace {

// A line straight down goes on as one piece: a path that passes a hundred layers has no hundred
// pieces.
void lineTo(std::vector<Point>& points, Point to) {
    if (points.size() >= 4 && runsDown(&points[points.size() - 4]) && to.x == points.back().x)
        points.resize(points.size() - 3);
    const Point from = points.back();
    if (from == to)
        return;
    points.push_back({from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3});
    points.push_back({from.x + (to.x - from.x) * 2 / 3, from.y + (to.y - from.y) * 2 / 3});
    points.push_back(to);
}

void curveTo(std::vector<Point>& points, Point to) {
    const Point from = points.back();
    if (from.x == to.x)
        return lineTo(points, to);
    const double middle = (from.y + to.y) / 2;
    points.push_back({from.x, middle});
    points.push_back({to.x, middle});
    points.push_back(to);
}

// Places for several lines on one side of a box: the one that comes straight keeps the centre.
// `towards`: x of the other ends, ascending; returns offsets from the centre.
std::vector<double> ports(const std::vector<double>& towards, double center, double width) {
    const std::size_t count = towards.size();
    std::vector<double> result(count, 0);
    if (count < 2)
        return result;
    std::size_t straight = count;
    for (std::size_t i = 0; i < count; ++i)
        if (std::abs(towards[i] - center) <= 2)
            straight = i;
    const double half = std::max(width / 2 - 12, 0.0);
    if (straight == count) {
        const double step = std::min(18.0, 2 * half / static_cast<double>(count - 1));
        for (std::size_t i = 0; i < count; ++i)
            result[i] = (static_cast<double>(i) - static_cast<double>(count - 1) / 2) * step;
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            const double rank = static_cast<double>(i) - static_cast<double>(straight);
            const double side = static_cast<double>(i < straight ? straight : count - 1 - straight);
            result[i] = side == 0 ? 0 : rank * std::min(18.0, half / side);
        }
    }
    for (double& offset : result)
        offset = std::round(offset);
    return result;
}

struct End { // one line at one side of a node
    double towards = 0;
    double* offset = nullptr;
};

void spread(std::vector<End>& ends, double center, double width) {
    std::stable_sort(ends.begin(), ends.end(),
                     [](const End& a, const End& b) { return a.towards < b.towards; });
    std::vector<double> towards;
    for (const End& end : ends)
        towards.push_back(end.towards);
    const auto offsets = ports(towards, center, width);
    for (std::size_t i = 0; i < ends.size(); ++i)
        *ends[i].offset = offsets[i];
}

// A lane on the right side for each far edge: the first one that is free from its upper layer to
// its lower one.
std::vector<std::size_t> farLanes(const LayeredInput& input, const Layers& layers) {
    const auto spanOf = [&](std::uint32_t e) {
        const std::int32_t a = layers.slots[input.edges[e].from].layer;
        const std::int32_t b = layers.slots[input.edges[e].to].layer;
        return std::minmax({a, b});
    };
    std::vector<std::size_t> byTop(layers.far.size());
    std::iota(byTop.begin(), byTop.end(), std::size_t{0});
    std::stable_sort(byTop.begin(), byTop.end(), [&](std::size_t a, std::size_t b) {
        return spanOf(layers.far[a]).first < spanOf(layers.far[b]).first;
    });
    using Ending = std::pair<std::int32_t, std::size_t>; // layer, lane
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> taken;
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> free;
    std::vector<std::size_t> lanes(layers.far.size());
    for (const std::size_t i : byTop) {
        const auto [top, bottom] = spanOf(layers.far[i]);
        for (; !taken.empty() && taken.top().first < top; taken.pop())
            free.push(taken.top().second);
        lanes[i] = taken.size();
        if (!free.empty()) {
            lanes[i] = free.top();
            free.pop();
        }
        taken.emplace(bottom, lanes[i]);
    }
    return lanes;
}

class Router {
public:
    Router(const LayeredInput& input, const Layers& layers)
        : m_input(input), m_layers(layers), m_leave(layers.nets.size(), 0),
          m_arrive(input.edges.size(), 0) {}

    LayeredOutput take() {
        choosePorts();
        placeLayersDown();
        for (std::size_t n = 0; n < m_layers.nets.size(); ++n)
            routeNet(n);
        routeFar();
        for (const std::uint32_t e : m_layers.cut)
            m_out.cuts.push_back(cutAt(e));
        return std::move(m_out);
    }

private:
    const Slot& slot(std::int32_t s) const { return m_layers.slots[static_cast<std::size_t>(s)]; }
    // Of a node.
    std::size_t layerOf(std::size_t node) const {
        return static_cast<std::size_t>(m_layers.slots[node].layer);
    }
    double upperSide(std::size_t node) const {
        return m_out.centers[node].y - m_input.nodes[node].height / 2;
    }
    double lowerSide(std::size_t node) const {
        return m_out.centers[node].y + m_input.nodes[node].height / 2;
    }
    // Ends of an edge as it is laid out, which may be upside down.
    std::uint32_t source(std::uint32_t e) const {
        return m_layers.reversed[e] ? m_input.edges[e].to : m_input.edges[e].from;
    }
    std::uint32_t target(std::uint32_t e) const {
        return m_layers.reversed[e] ? m_input.edges[e].from : m_input.edges[e].to;
    }
    const std::optional<double>& fixedLeave(std::uint32_t e) const {
        return m_layers.reversed[e] ? m_input.edges[e].toOffset : m_input.edges[e].fromOffset;
    }
    const std::optional<double>& fixedArrive(std::uint32_t e) const {
        return m_layers.reversed[e] ? m_input.edges[e].fromOffset : m_input.edges[e].toOffset;
    }
    std::size_t span(std::uint32_t e) const {
        return static_cast<std::size_t>(std::abs(m_layers.slots[m_input.edges[e].to].layer -
                                                 m_layers.slots[m_input.edges[e].from].layer));
    }

    // Where each net leaves and each edge arrives, relative to the centres.
    void choosePorts() {
        std::vector<std::vector<End>> outs(m_input.nodes.size()), ins(m_input.nodes.size());
        for (std::size_t n = 0; n < m_layers.nets.size(); ++n) {
            const Net& net = m_layers.nets[n];
            const std::uint32_t first = net.edges.front();
            const std::optional<double>& leaves = fixedLeave(first);
            if (leaves) {
                m_leave[n] = *leaves;
            } else {
                const double towards =
                    net.trunk.size() > 1 && span(first) > 1
                        ? slot(net.trunk[1]).x
                        : m_layers.slots[target(first)].x + fixedArrive(first).value_or(0);
                outs[static_cast<std::size_t>(net.trunk[0])].push_back({towards, &m_leave[n]});
            }
            for (const std::uint32_t e : net.edges) {
                if (const auto& arrives = fixedArrive(e))
                    m_arrive[e] = *arrives;
                else
                    ins[target(e)].push_back(
                        {slot(net.trunk[span(e) - 1]).x + (span(e) == 1 ? leaves.value_or(0) : 0),
                         &m_arrive[e]});
            }
        }
        for (std::size_t n = 0; n < m_input.nodes.size(); ++n) {
            spread(outs[n], m_layers.slots[n].x, m_input.nodes[n].width);
            spread(ins[n], m_layers.slots[n].x, m_input.nodes[n].width);
        }
    }

    // Per layer: how far to the side a path goes in the gap above it, at the most.
    std::vector<double> widestBends() const {
        std::vector<double> bend(m_layers.order.size(), 0);
        const auto count = [&](const Slot& to, const Slot& from) {
            double& widest = bend[static_cast<std::size_t>(to.layer)];
            widest = std::max(widest, std::abs(to.x - from.x));
        };
        for (const Net& net : m_layers.nets) {
            for (std::size_t k = 1; k < net.trunk.size(); ++k)
                count(slot(net.trunk[k]), slot(net.trunk[k - 1]));
            for (const std::uint32_t e : net.edges)
                count(m_layers.slots[target(e)], slot(net.trunk[span(e) - 1]));
        }
        return bend;
    }

    // Heights of the layers; a gap grows with the widest bend in it.
    void placeLayersDown() {
        const std::size_t depth = m_layers.order.size();
        const std::vector<double> bend = widestBends();
        const auto hasPin = [&](Pin pin) {
            return std::any_of(m_input.nodes.begin(), m_input.nodes.end(),
                               [pin](const LayeredNode& n) { return n.pin == pin; });
        };
        m_top.assign(depth, 0);
        m_bottom.assign(depth, 0);
        double y = 0;
        for (std::size_t l = 0; l < depth; ++l) {
            double height = 0;
            for (const std::int32_t s : m_layers.order[l])
                height = std::max(height, slot(s).height);
            if (l > 0) {
                const bool pinned =
                    (l == 1 && hasPin(Pin::First)) || (l + 1 == depth && hasPin(Pin::Last));
                y += std::round((pinned ? m_input.pinnedGap : m_input.layerGap) +
                                std::min(40.0, bend[l] * 0.05));
            }
            m_top[l] = y;
            y += height;
            m_bottom[l] = y;
        }
        m_out.height = y;
        m_out.centers.resize(m_input.nodes.size());
        for (std::size_t n = 0; n < m_input.nodes.size(); ++n)
            m_out.centers[n] = {m_layers.slots[n].x,
                                std::round((m_top[layerOf(n)] + m_bottom[layerOf(n)]) / 2)};
    }

    void arriveAt(std::vector<Point>& points, std::uint32_t e) const {
        const std::uint32_t n = target(e);
        const double x = m_layers.slots[n].x + m_arrive[e];
        curveTo(points, {x, m_top[layerOf(n)]});
        lineTo(points, {x, upperSide(n)});
    }

    void finish(std::vector<Point> points, std::vector<std::uint32_t> edges, Arrow arrow) {
        if (points.size() < 2)
            return;
        if (m_layers.reversed[edges.front()])
            std::reverse(points.begin(), points.end());
        m_out.legs.push_back({std::move(points), std::move(edges), arrow});
    }

    void routeNet(std::size_t n) {
        const Net& net = m_layers.nets[n];
        const auto source = static_cast<std::size_t>(net.trunk[0]);
        const double x = m_layers.slots[source].x + m_leave[n];
        std::vector<Point> points{{x, lowerSide(source)}};
        lineTo(points, {x, m_bottom[layerOf(source)]});
        const Point start = points.front();
        std::size_t next = 0;
        for (std::size_t k = 0; k < net.trunk.size(); ++k) {
            std::size_t ending = next;
            while (ending < net.edges.size() && span(net.edges[ending]) == k + 1)
                ++ending;
            if (ending > next && net.edges.size() - next > 1) {
                // The path forks here: what was common so far is a leg of its own.
                const Point fork = k == 0 ? start : points.back();
                const std::vector<Point> stem = points;
                if (k > 0)
                    finish(points,
                           {net.edges.begin() + static_cast<std::ptrdiff_t>(next), net.edges.end()},
                           Arrow::None);
                for (; next < ending; ++next) {
                    std::vector<Point> branch = k == 0 ? stem : std::vector<Point>{fork};
                    arriveAt(branch, net.edges[next]);
                    finish(std::move(branch), {net.edges[next]}, Arrow::End);
                }
                points = k == 0 ? stem : std::vector<Point>{fork};
            } else if (ending > next) {
                arriveAt(points, net.edges[next]);
                finish(points, {net.edges[next]}, Arrow::End);
                next = ending;
            }
            if (k + 1 < net.trunk.size()) {
                const Slot& dummy = slot(net.trunk[k + 1]);
                const auto l = static_cast<std::size_t>(dummy.layer);
                curveTo(points, {dummy.x, m_top[l]});
                lineTo(points, {dummy.x, m_bottom[l]});
            }
        }
    }

    // Edges without dummies go around: out into the gap, along the right side, back in.
    void routeFar() {
        double right = 0;
        for (const Slot& s : m_layers.slots)
            right = std::max(right, s.x + s.width / 2);
        m_out.width = right;
        const std::vector<std::size_t> lanes = farLanes(m_input, m_layers);
        const double lane = 14;
        for (std::size_t i = 0; i < m_layers.far.size(); ++i) {
            const std::uint32_t e = m_layers.far[i];
            const double beside = right + lane * static_cast<double>(lanes[i] + 1);
            const std::uint32_t from = source(e), to = target(e);
            const double above = m_bottom[layerOf(from)], below = m_top[layerOf(to)];
            const auto side = [&](std::uint32_t node, const std::optional<double>& fixed) {
                return m_layers.slots[node].x + fixed.value_or(m_input.nodes[node].width / 4);
            };
            const double x1 = side(from, fixedLeave(e)), x2 = side(to, fixedArrive(e));
            std::vector<Point> points{{x1, lowerSide(from)}};
            lineTo(points, {x1, above});
            curveTo(points, {beside, above + m_input.layerGap});
            lineTo(points, {beside, below - m_input.layerGap});
            curveTo(points, {x2, below});
            lineTo(points, {x2, upperSide(to)});
            finish(std::move(points), {e}, Arrow::End);
            m_out.width = std::max(m_out.width, beside);
        }
    }

    Cut cutAt(std::uint32_t e) const {
        constexpr double fromCorner = 14;
        const LayeredEdge& edge = m_input.edges[e];
        const auto beside = [&](std::uint32_t node) {
            return std::max(m_input.nodes[node].width / 2 - fromCorner, 0.0);
        };
        return {e,
                {m_out.centers[edge.from].x + edge.fromOffset.value_or(beside(edge.from)),
                 lowerSide(edge.from)},
                {m_out.centers[edge.to].x + edge.toOffset.value_or(beside(edge.to)),
                 upperSide(edge.to)}};
    }

    const LayeredInput& m_input;
    const Layers& m_layers;
    std::vector<double> m_leave, m_arrive; // per net, per edge
    std::vector<double> m_top, m_bottom;   // per layer
    LayeredOutput m_out;
};

} // namespace

LayeredOutput routeLayers(const LayeredInput& input, const Layers& layers) {
    return Router(input, layers).take();
}

Result<LayeredOutput> layered(const LayeredInput& input, const CancelToken& cancel) {
    Layers layers = assignLayers(input);
    if (!cancel.cancelled())
        orderLayers(layers, cancel);
    placeLayers(layers, input.nodeGap, cancel);
    if (cancel.cancelled())
        return makeDiag(DiagCode::Cancelled, "the layout was cancelled");
    return routeLayers(input, layers);
}

} // namespace fw::picture
