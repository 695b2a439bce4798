#include "snapshot/open_blocks.h"

#include <algorithm>
#include <utility>

namespace fw::snapshot {

namespace {

// Per block: how many lie around it within the one that is opened; none: it does not lie there.
std::vector<std::uint32_t> depthsWithin(const Hierarchy& graph, const std::string& within) {
    std::vector<std::uint32_t> out(graph.blocks.size(), Hierarchy::none);
    for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
        const Block& block = graph.blocks[b];
        if (block.path == within)
            out[b] = 0;
        else if (b != 0 && out[block.parent] != Hierarchy::none)
            out[b] = out[block.parent] + 1;
    }
    return out;
}

} // namespace

std::size_t boxesShown(const Hierarchy& graph, const BlockView& view) {
    const std::vector<std::uint32_t> closed = closedAround(graph, view);
    std::size_t out = 0;
    for (std::uint32_t b = 0; b < graph.blocks.size(); ++b)
        if (closed[b] == Hierarchy::none)
            out += graph.blocks[b].nodes.size();
        else
            out += closed[b] == b && graph.blocks[b].kind != Block::Kind::Body;
    return out;
}

Opened openWithin(std::span<const Hierarchy* const> graphs, BlockView view,
                  const std::string& within, std::size_t most) {
    struct Front { // of a graph: what is to be opened next
        const Hierarchy* graph;
        std::vector<std::uint32_t> depths;
        std::uint32_t depth = 0;
        bool isOpen = true; // it may go on
    };
    std::vector<Front> fronts;
    for (const Hierarchy* graph : graphs)
        if (graph != nullptr)
            fronts.push_back({graph, depthsWithin(*graph, within)});
    const auto fits = [&](const BlockView& next) {
        return std::all_of(fronts.begin(), fronts.end(), [&](const Front& front) {
            return boxesShown(*front.graph, next) <= most;
        });
    };
    // Graphs inside nodes open one by one, or with what is opened around them.
    const auto isMeant = [&](const Block& block) {
        return !within.empty() || !block.closedAtFirst;
    };
    // A level of one graph may be another one of the next: each goes on while all of them fit.
    bool any = true;
    while (std::exchange(any, false))
        for (Front& front : fronts) {
            if (!front.isOpen)
                continue;
            BlockView next = view;
            bool isThere = false;
            for (std::size_t b = 0; b < front.depths.size(); ++b)
                if (front.depths[b] == front.depth) {
                    isThere = true;
                    if (next.isShown(front.graph->blocks[b]) && isMeant(front.graph->blocks[b]))
                        next.set(front.graph->blocks[b], BlockView::Rest::Open);
                }
            front.isOpen = isThere && fits(next);
            if (!front.isOpen)
                continue;
            view = std::move(next);
            ++front.depth;
            any = true;
        }
    Opened out{std::move(view)};
    for (const Front& front : fronts) {
        std::size_t closed = 0;
        for (std::size_t b = 0; b < front.depths.size(); ++b)
            closed += front.depths[b] != Hierarchy::none && isMeant(front.graph->blocks[b]) &&
                      !out.view.isOpen(front.graph->blocks[b]);
        out.closed = std::max(out.closed, closed);
    }
    return out;
}

} // namespace fw::snapshot
