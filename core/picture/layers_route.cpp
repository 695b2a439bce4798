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

} // namespace

LayeredOutput routeLayers(const LayeredInput& input, Layers& layers) {
    LayeredOutput output;
    const std::size_t depth = layers.order.size();
    const auto slot = [&](std::int32_t s) -> Slot& {
        return layers.slots[static_cast<std::size_t>(s)];
    };

    // Where each net leaves and each edge arrives, relative to the centres.
    std::vector<double> leave(layers.nets.size(), 0), arrive(input.edges.size(), 0);
    std::vector<std::vector<End>> outs(input.nodes.size()), ins(input.nodes.size());
    const auto target = [&](std::uint32_t e) {
        return layers.reversed[e] ? input.edges[e].from : input.edges[e].to;
    };
    const auto span = [&](std::uint32_t e) {
        return static_cast<std::size_t>(std::abs(layers.slots[input.edges[e].to].layer -
                                                 layers.slots[input.edges[e].from].layer));
    };
    for (std::size_t n = 0; n < layers.nets.size(); ++n) {
        const Net& net = layers.nets[n];
        const LayeredEdge& first = input.edges[net.edges.front()];
        const bool turned = layers.reversed[net.edges.front()] != 0;
        const auto& fixedLeave = turned ? first.toOffset : first.fromOffset;
        if (fixedLeave) {
            leave[n] = *fixedLeave;
        } else {
            const std::uint32_t e = net.edges.front();
            const auto& fixedArrive = turned ? first.fromOffset : first.toOffset;
            const double towards = net.trunk.size() > 1 && span(e) > 1
                                       ? slot(net.trunk[1]).x
                                       : layers.slots[target(e)].x + fixedArrive.value_or(0);
            outs[static_cast<std::size_t>(net.trunk[0])].push_back({towards, &leave[n]});
        }
        for (const std::uint32_t e : net.edges) {
            const auto& fixedArrive = turned ? input.edges[e].fromOffset : input.edges[e].toOffset;
            if (fixedArrive)
                arrive[e] = *fixedArrive;
            else
                ins[target(e)].push_back(
                    {slot(net.trunk[span(e) - 1]).x + (span(e) == 1 ? fixedLeave.value_or(0) : 0),
                     &arrive[e]});
        }
    }
    for (std::size_t n = 0; n < input.nodes.size(); ++n) {
        spread(outs[n], layers.slots[n].x, input.nodes[n].width);
        spread(ins[n], layers.slots[n].x, input.nodes[n].width);
    }

    // Layer heights; a gap grows with the widest bend in it.
    std::vector<double> top(depth, 0), bottom(depth, 0), bend(depth, 0);
    for (const Net& net : layers.nets) {
        for (std::size_t k = 1; k < net.trunk.size(); ++k) {
            double& widest = bend[static_cast<std::size_t>(slot(net.trunk[k]).layer)];
            widest = std::max(widest, std::abs(slot(net.trunk[k]).x - slot(net.trunk[k - 1]).x));
        }
        for (const std::uint32_t e : net.edges) {
            const Slot& to = layers.slots[target(e)];
            double& widest = bend[static_cast<std::size_t>(to.layer)];
            widest = std::max(widest, std::abs(to.x - slot(net.trunk[span(e) - 1]).x));
        }
    }
    const auto hasPin = [&](Pin pin) {
        return std::any_of(input.nodes.begin(), input.nodes.end(),
                           [pin](const LayeredNode& n) { return n.pin == pin; });
    };
    double y = 0;
    for (std::size_t l = 0; l < depth; ++l) {
        double height = 0;
        for (const std::int32_t s : layers.order[l])
            height = std::max(height, slot(s).height);
        if (l > 0) {
            const bool pinned =
                (l == 1 && hasPin(Pin::First)) || (l + 1 == depth && hasPin(Pin::Last));
            y += std::round((pinned ? input.pinnedGap : input.layerGap) +
                            std::min(40.0, bend[l] * 0.05));
        }
        top[l] = y;
        y += height;
        bottom[l] = y;
    }
    output.height = y;

    double right = 0;
    output.centers.resize(input.nodes.size());
    for (std::size_t n = 0; n < input.nodes.size(); ++n) {
        const Slot& s = layers.slots[n];
        const auto l = static_cast<std::size_t>(s.layer);
        output.centers[n] = {s.x, std::round((top[l] + bottom[l]) / 2)};
    }
    for (const Slot& s : layers.slots)
        right = std::max(right, s.x + s.width / 2);

    const auto arriveAt = [&](std::vector<Point>& points, std::uint32_t e) {
        const std::uint32_t n = target(e);
        const auto l = static_cast<std::size_t>(layers.slots[n].layer);
        const double x = layers.slots[n].x + arrive[e];
        const double edgeY = output.centers[n].y - input.nodes[n].height / 2;
        curveTo(points, {x, top[l]});
        lineTo(points, {x, edgeY});
    };
    const auto finish = [&](std::vector<Point> points, std::vector<std::uint32_t> edges,
                            Arrow arrow) {
        if (points.size() < 2)
            return;
        if (layers.reversed[edges.front()])
            std::reverse(points.begin(), points.end());
        output.legs.push_back({std::move(points), std::move(edges), arrow});
    };
    for (std::size_t n = 0; n < layers.nets.size(); ++n) {
        const Net& net = layers.nets[n];
        const auto source = static_cast<std::size_t>(net.trunk[0]);
        const auto sourceLayer = static_cast<std::size_t>(layers.slots[source].layer);
        const double x = layers.slots[source].x + leave[n];
        std::vector<Point> points{{x, output.centers[source].y + input.nodes[source].height / 2}};
        lineTo(points, {x, bottom[sourceLayer]});
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
                curveTo(points, {dummy.x, top[l]});
                lineTo(points, {dummy.x, bottom[l]});
            }
        }
    }
    // Edges without dummies go around: out into the gap, along the right side, back in.
    const std::vector<std::size_t> lanes = farLanes(input, layers);
    const double lane = 14;
    for (std::size_t i = 0; i < layers.far.size(); ++i) {
        const std::uint32_t e = layers.far[i];
        const double beside = right + lane * static_cast<double>(lanes[i] + 1);
        const std::uint32_t from = layers.reversed[e] ? input.edges[e].to : input.edges[e].from;
        const std::uint32_t to = target(e);
        const auto a = static_cast<std::size_t>(layers.slots[from].layer);
        const auto b = static_cast<std::size_t>(layers.slots[to].layer);
        const auto& fixedLeave =
            layers.reversed[e] ? input.edges[e].toOffset : input.edges[e].fromOffset;
        const auto& fixedArrive =
            layers.reversed[e] ? input.edges[e].fromOffset : input.edges[e].toOffset;
        const double x1 = layers.slots[from].x + fixedLeave.value_or(input.nodes[from].width / 4);
        const double x2 = layers.slots[to].x + fixedArrive.value_or(input.nodes[to].width / 4);
        std::vector<Point> points{{x1, output.centers[from].y + input.nodes[from].height / 2}};
        lineTo(points, {x1, bottom[a]});
        curveTo(points, {beside, bottom[a] + input.layerGap});
        lineTo(points, {beside, top[b] - input.layerGap});
        curveTo(points, {x2, top[b]});
        lineTo(points, {x2, output.centers[to].y - input.nodes[to].height / 2});
        finish(std::move(points), {e}, Arrow::End);
    }
    for (const std::size_t used : lanes)
        output.width = std::max(output.width, right + lane * static_cast<double>(used + 1));
    output.width = std::max(output.width, right);
    for (const std::uint32_t e : layers.cut) {
        constexpr double fromCorner = 14;
        const LayeredEdge& edge = input.edges[e];
        const LayeredNode &from = input.nodes[edge.from], &to = input.nodes[edge.to];
        const auto beside = [](const LayeredNode& node) {
            return std::max(node.width / 2 - fromCorner, 0.0);
        };
        const Point a = output.centers[edge.from], b = output.centers[edge.to];
        output.cuts.push_back(
            {e,
             {a.x + edge.fromOffset.value_or(beside(from)), a.y + from.height / 2},
             {b.x + edge.toOffset.value_or(beside(to)), b.y - to.height / 2}});
    }
    return output;
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
