#include "picture/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace fw::picture {
namespace {

BoxShape shapeOf(const Box& box) {
    constexpr double least = 150, most = 250;
    double width = textWidth(printable(box.title, 200), titleSize, Weight::Bold);
    if (box.implementation != Implementation::None)
        width += 30;
    width = std::max(width, textWidth(printable(box.subtitle, 200), titleSize, Weight::Regular));
    for (const std::string& line : box.lines)
        width = std::max(width, textWidth(printable(line, 200), labelSize, Weight::Regular));
    width = std::clamp(std::ceil((width + 2 * boxPadding) / 10) * 10, least, most);
    double height = box.subtitle.empty() ? 26 : 40;
    height += 14 * static_cast<double>(box.lines.size());
    return {width, height};
}

double headerWidth(const Container& container) {
    const double title = textWidth(printable(container.title, 200), titleSize, Weight::Bold);
    const double right = textWidth(printable(container.right, 200), titleSize, Weight::Regular);
    return std::min(title, 320.0) + std::min(right, 160.0) + 24 + (right > 0 ? 20 : 0);
}

using Value = std::pair<std::uint32_t, std::int32_t>; // box index, port

struct Index {
    std::unordered_map<std::int64_t, std::uint32_t> boxes, containers;
};

Result<Index> indexOf(const Diagram& diagram) {
    Index index;
    for (std::uint32_t i = 0; i < diagram.containers.size(); ++i)
        if (!index.containers.emplace(diagram.containers[i].id, i).second)
            return makeDiag(DiagCode::GraphInvalid,
                            fmt::format("two containers have the id {}", diagram.containers[i].id));
    for (std::uint32_t i = 0; i < diagram.boxes.size(); ++i) {
        const Box& box = diagram.boxes[i];
        if (!index.boxes.emplace(box.id, i).second)
            return makeDiag(DiagCode::GraphInvalid,
                            fmt::format("two boxes have the id {}", box.id));
        if (box.container != -1 && !index.containers.contains(box.container))
            return makeDiag(DiagCode::GraphInvalid,
                            fmt::format("box {} lies in container {}, which is not there", box.id,
                                        box.container));
    }
    for (const Edge& edge : diagram.edges)
        for (const std::int64_t id : {edge.from, edge.to})
            if (!index.boxes.contains(id))
                return makeDiag(DiagCode::GraphInvalid,
                                fmt::format("an edge names box {}, which is not there", id));
    return index;
}

} // namespace

Result<Composition> compose(const Diagram& diagram, const CancelToken& cancel) {
    FW_TRY(const Index index, indexOf(diagram));
    Composition result;
    const std::size_t containers = diagram.containers.size();
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> containerOf(diagram.boxes.size(), none);
    std::vector<std::uint32_t> place(diagram.boxes.size()); // node within its level
    result.inners.resize(containers);
    for (std::uint32_t b = 0; b < diagram.boxes.size(); ++b) {
        const Box& box = diagram.boxes[b];
        result.boxes.push_back(shapeOf(box));
        if (box.container == -1) {
            place[b] = static_cast<std::uint32_t>(containers + result.free.size());
            result.free.push_back(b);
        } else {
            containerOf[b] = index.containers.at(box.container);
            InnerLayout& inner = result.inners[containerOf[b]];
            place[b] = static_cast<std::uint32_t>(inner.members.size());
            inner.members.push_back(b);
            inner.input.nodes.push_back({result.boxes[b].width, result.boxes[b].height, Pin::Free});
        }
    }

    // Edges inside, then places on the frames, in the order of the diagram's edges.
    using InnerKey = std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>;
    std::vector<std::map<InnerKey, std::size_t>> innerEdges(containers);
    std::vector<std::map<Value, std::uint32_t>> entries(containers), exits(containers);
    const auto addInner = [&](std::uint32_t c, std::uint32_t from, std::uint32_t to,
                              std::uint32_t value, std::uint32_t source) {
        InnerLayout& inner = result.inners[c];
        const auto [found, fresh] =
            innerEdges[c].try_emplace({from, {value, to}}, inner.input.edges.size());
        if (fresh) {
            inner.input.edges.push_back({from, to, value, std::nullopt, std::nullopt, 1});
            inner.edgeSources.emplace_back();
        }
        inner.edgeSources[found->second].push_back(source);
    };
    const auto border = [&](std::map<Value, std::uint32_t>& places, std::uint32_t c, Value value,
                            Pin pin) {
        InnerLayout& inner = result.inners[c];
        const auto [found, fresh] =
            places.try_emplace(value, static_cast<std::uint32_t>(inner.input.nodes.size()));
        if (fresh)
            inner.input.nodes.push_back({2, 0, pin});
        return found->second;
    };
    for (std::uint32_t e = 0; e < diagram.edges.size(); ++e) {
        const Edge& edge = diagram.edges[e];
        const std::uint32_t from = index.boxes.at(edge.from), to = index.boxes.at(edge.to);
        const std::uint32_t a = containerOf[from], b = containerOf[to];
        const auto port = static_cast<std::uint32_t>(edge.fromPort);
        if (a != none && a == b) {
            addInner(a, place[from], place[to], port, e);
            continue;
        }
        if (a != none)
            addInner(a, place[from], border(exits[a], a, {from, edge.fromPort}, Pin::Last), port,
                     e);
        if (b != none)
            addInner(b, border(entries[b], b, {from, edge.fromPort}, Pin::First), place[to], 0, e);
    }
    // Of the values that enter, the last made is the main path: it comes in straight.
    for (std::size_t c = 0; c < containers; ++c) {
        if (entries[c].empty())
            continue;
        const std::uint32_t main = entries[c].rbegin()->second;
        for (LayeredEdge& edge : result.inners[c].input.edges)
            if (edge.from == main)
                edge.weight = 2;
    }
    constexpr double side = 16;
    for (std::size_t c = 0; c < containers; ++c) {
        InnerLayout& inner = result.inners[c];
        inner.input.nodeGap = 20;
        inner.input.layerGap = 22;
        FW_TRY(inner.output, layered(inner.input, cancel));
        for (Leg& leg : inner.output.legs) // the arrow stands where the value is read
            if (inner.input.nodes[inner.input.edges[leg.edges.back()].to].pin == Pin::Last)
                leg.arrow = Arrow::None; // not at the frame
        inner.input = {};
        inner.width =
            std::max({inner.output.width + 2 * side, headerWidth(diagram.containers[c]), 120.0});
        inner.width = std::ceil(inner.width / 2) * 2;
        inner.origin = {std::round((inner.width - inner.output.width) / 2), headerHeight};
        inner.height = headerHeight + inner.output.height + (exits[c].empty() ? 12 : 0) +
                       (inner.members.empty() ? 12 : 0);
        result.outer.nodes.push_back({inner.width, inner.height, Pin::Free});
    }
    for (const std::uint32_t b : result.free)
        result.outer.nodes.push_back({result.boxes[b].width, result.boxes[b].height, Pin::Free});

    std::map<Value, std::uint32_t> values;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> outerEdges; // value, target
    const auto offset = [&](std::uint32_t c, std::uint32_t node) {
        const InnerLayout& inner = result.inners[c];
        return inner.origin.x + inner.output.centers[node].x - inner.width / 2;
    };
    for (std::uint32_t e = 0; e < diagram.edges.size(); ++e) {
        const Edge& edge = diagram.edges[e];
        const std::uint32_t from = index.boxes.at(edge.from), to = index.boxes.at(edge.to);
        const std::uint32_t a = containerOf[from], b = containerOf[to];
        if (a != none && a == b)
            continue;
        const Value value{from, edge.fromPort};
        const std::uint32_t source = a == none ? place[from] : a;
        const std::uint32_t target = b == none ? place[to] : b;
        const auto number =
            values.try_emplace(value, static_cast<std::uint32_t>(values.size())).first->second;
        const auto [found, fresh] =
            outerEdges.try_emplace({number, target}, result.outer.edges.size());
        if (fresh) {
            LayeredEdge outer{source, target, number, std::nullopt, std::nullopt, 1};
            if (a != none)
                outer.fromOffset = offset(a, exits[a].at(value));
            if (b != none)
                outer.toOffset = offset(b, entries[b].at(value));
            result.outer.edges.push_back(outer);
            result.edgeSources.emplace_back();
        }
        result.edgeSources[found->second].push_back(e);
    }
    return result;
}

} // namespace fw::picture
