#include "views/graph/collapse.h"

#include <algorithm>

namespace fw::ui {

using snapshot::Block;
using snapshot::BlockView;
using snapshot::Hierarchy;
using snapshot::NodeId;

namespace {

constexpr GraphSide sides[] = {GraphSide::Imported, GraphSide::Fused};

} // namespace

struct Collapse::Coming {
    Graph graph; // null: the blocks are of another one
    BlockView view;
    Shown shown;
};

Collapse::Collapse(GraphPane* imported, GraphPane* fused, QObject* parent)
    : QObject(parent), m_panes{imported, fused} {
    for (const GraphSide side : sides)
        connect(pane(side), &GraphPane::busyChanged, this, [this, side] {
            if (!pane(side)->busy())
                arrived(side);
        });
}

void Collapse::begin(const std::string& model, const snapshot::GraphDocument& graph) {
    if (model == m_model)
        return;
    m_model = model;
    const auto boxes = std::size_t(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                                 [](const auto& node) { return !node.constant; }));
    m_view = boxes <= mostOpen ? BlockView{}
                               : BlockView{BlockView::Shown::All, BlockView::Rest::Closed, {}};
}

void Collapse::setView(BlockView view) {
    m_revealing.clear(); // what people open or close stays
    if (view == m_view)
        return;
    m_view = std::move(view);
    Q_EMIT changed();
}

void Collapse::show(GraphSide side, const Graph& graph, const picture::DiagramOptions& options,
                    const BlockView& view) {
    auto& coming = m_coming[std::size_t(side)];
    std::shared_ptr<const Hierarchy> known;
    if (coming && coming->graph == graph && !pane(side)->busy())
        known = shown(side).blocks;
    coming = std::make_shared<Coming>();
    coming->graph = graph;
    coming->view = view;
    pane(side)->setDiagram([coming, options, known] { // in another thread
        picture::DiagramOptions all = options;
        all.blocks = known ? known : std::make_shared<const Hierarchy>(hierarchyOf(*coming->graph));
        all.view = coming->view;
        coming->shown.blocks = all.blocks;
        for (const auto& node : coming->graph->nodes)
            coming->shown.nodes.push_back(node.id);
        return picture::diagramOf(*coming->graph, all);
    });
}

void Collapse::showOthers(GraphSide side, std::shared_ptr<const Hierarchy> blocks,
                          std::vector<NodeId> nodes) {
    auto coming = std::make_shared<Coming>();
    coming->view = m_view;
    coming->shown.blocks = std::move(blocks);
    for (std::uint32_t place = 0; place < nodes.size(); ++place)
        if (nodes[place] != snapshot::noNode)
            coming->shown.places.emplace(nodes[place], place);
    coming->shown.nodes = std::move(nodes);
    m_coming[std::size_t(side)] = std::move(coming);
}

void Collapse::arrived(GraphSide side) {
    const auto& coming = m_coming[std::size_t(side)];
    if (!coming || !coming->shown.blocks || !pane(side)->canvas()->picture())
        return;
    Shown& now = m_shown[std::size_t(side)];
    now = coming->shown;
    now.closed = closedAround(*now.blocks, coming->view);
    Q_EMIT settled();
}

std::uint32_t Collapse::blockOf(GraphSide side, NodeId node) const {
    const Shown& now = shown(side);
    if (!now.blocks)
        return Hierarchy::none;
    const auto& places = now.places.empty() ? now.blocks->placeOf : now.places;
    const auto place = places.find(node);
    return place == places.end() ? Hierarchy::none : now.blocks->blockOf[place->second];
}

std::int64_t Collapse::boxOf(GraphSide side, NodeId node) const {
    const std::uint32_t block = blockOf(side, node);
    const Shown& now = shown(side);
    return block == Hierarchy::none || now.closed[block] == Hierarchy::none
               ? node
               : now.blocks->blocks[now.closed[block]].id;
}

bool Collapse::isMissing(GraphSide side, NodeId node) const {
    return blocks(side) && blockOf(side, node) == Hierarchy::none;
}

Ids Collapse::boxesOf(GraphSide side, const snapshot::NodeSet& nodes) const {
    Ids out;
    std::set<std::int64_t> known;
    for (const NodeId node : nodes)
        if (const std::int64_t box = boxOf(side, node); box == node || known.insert(box).second)
            out.push_back(box);
    return out;
}

std::map<std::int64_t, double> Collapse::onBoxes(GraphSide side,
                                                 const std::map<std::int64_t, double>& values,
                                                 Together together) const {
    std::map<std::int64_t, double> out;
    for (const auto& [node, value] : values) {
        double& all = out[boxOf(side, node)];
        all = together == Together::Sum ? all + value : std::max(all, value);
    }
    return out;
}

std::vector<Halo> Collapse::onBoxes(GraphSide side, std::vector<Halo> halos) const {
    std::vector<Halo> out;
    std::map<std::pair<Halo::Look, std::int64_t>, int> hidden;
    for (Halo& halo : halos) {
        std::set<std::int64_t> closed;
        std::erase_if(halo.ids, [&](std::int64_t id) {
            const std::int64_t box = boxOf(side, id);
            if (box != id)
                closed.insert(box);
            return box != id;
        });
        for (const std::int64_t box : closed)
            ++hidden[{halo.look, box}];
        if (!halo.ids.empty())
            out.push_back(std::move(halo));
    }
    for (const auto& [place, count] : hidden)
        out.push_back({{place.second}, place.first, QString::number(count)});
    return out;
}

snapshot::NodeSet Collapse::nodesOf(GraphSide side, const Ids& boxes) const {
    snapshot::NodeSet out;
    const Shown& now = shown(side);
    for (const std::int64_t box : boxes) {
        if (box >= 0)
            out.insert(box);
        if (!now.blocks || !snapshot::isBlock(box))
            continue;
        if (const auto block = now.blocks->numberOf.find(box); block != now.blocks->numberOf.end())
            for (const std::uint32_t place : now.blocks->nodesIn(block->second))
                if (now.nodes[place] != snapshot::noNode)
                    out.insert(now.nodes[place]);
    }
    return out;
}

const Block* Collapse::blockAt(GraphSide side, std::int64_t id) const {
    const Hierarchy* all = blocks(side);
    if (!all)
        return nullptr;
    if (snapshot::isBlock(id))
        return all->find(id);
    const auto found = std::find_if(all->blocks.begin(), all->blocks.end(), [&](const Block& one) {
        return one.kind == Block::Kind::Group && one.group == id;
    });
    return found == all->blocks.end() ? nullptr : &*found;
}

// In both panes the block stays where it is, in this one at `at`.
void Collapse::hold(GraphSide side, const Block& block, std::optional<QPointF> at) {
    for (const GraphSide each : sides)
        pane(each)->canvas()->hold(block.id, block.group,
                                   each == side ? at : std::optional<QPointF>());
}

void Collapse::toggle(GraphSide side, std::int64_t id, QPointF at) {
    const Block* block = blockAt(side, id);
    if (!block)
        return;
    hold(side, *block, at);
    BlockView view = m_view;
    view.set(*block, view.isOpen(*block) ? BlockView::Rest::Closed : BlockView::Rest::Open);
    setView(std::move(view));
}

void Collapse::openAll(GraphSide side, std::int64_t id, QPointF at) {
    const Block* block = blockAt(side, id);
    if (!block)
        return;
    hold(side, *block, at);
    const Hierarchy& all = *blocks(side);
    BlockView view = m_view;
    const auto number = std::uint32_t(block - all.blocks.data());
    for (std::uint32_t b = number; b < all.blocks.size(); ++b)
        if (all.isInside(b, number))
            view.set(all.blocks[b], BlockView::Rest::Open);
    setView(std::move(view));
}

void Collapse::closeAround(GraphSide side, const Ids& boxes) {
    const Hierarchy* all = blocks(side);
    if (!all || boxes.empty())
        return;
    const Block* inside = blockAt(side, boxes.front());
    std::uint32_t block = inside ? inside->parent : blockOf(side, boxes.front());
    if (block == Hierarchy::none)
        return;
    while (block != 0 && !m_view.isShown(all->blocks[block]))
        block = all->blocks[block].parent;
    if (block == 0)
        return;
    hold(side, all->blocks[block], {});
    BlockView view = m_view;
    view.set(all->blocks[block], BlockView::Rest::Closed);
    setView(std::move(view));
}

void Collapse::reveal(const Picked& nodes) {
    const auto of = [&](GraphSide side) -> const snapshot::NodeSet& {
        return side == GraphSide::Imported ? nodes.imported : nodes.fused;
    };
    if (std::none_of(std::begin(sides), std::end(sides), [&](GraphSide side) {
            return std::any_of(of(side).begin(), of(side).end(),
                               [&](NodeId node) { return isClosed(side, node, m_view); });
        }))
        return;
    BlockView view = m_view;
    for (const GraphSide side : sides)
        for (std::size_t b = 0; blocks(side) && b < blocks(side)->blocks.size(); ++b)
            if (const Block& block = blocks(side)->blocks[b]; m_revealing.contains(block.path))
                view.set(block, BlockView::Rest::Closed);
    std::set<std::string> revealing;
    for (const GraphSide side : sides)
        for (const NodeId node : of(side))
            for (std::uint32_t at = blockOf(side, node); at != Hierarchy::none && at != 0;
                 at = blocks(side)->blocks[at].parent)
                if (const Block& block = blocks(side)->blocks[at]; !view.isOpen(block)) {
                    view.set(block, BlockView::Rest::Open);
                    revealing.insert(block.path);
                }
    setView(std::move(view));
    m_revealing = std::move(revealing);
}

bool Collapse::isClosed(GraphSide side, NodeId node, const BlockView& view) const {
    for (std::uint32_t at = blockOf(side, node); at != Hierarchy::none && at != 0;
         at = blocks(side)->blocks[at].parent)
        if (!view.isOpen(blocks(side)->blocks[at]))
            return true;
    return false;
}

void Collapse::closeEverything() {
    setView({BlockView::Shown::All, BlockView::Rest::Closed, {}});
}

void Collapse::openEverything() {
    const BlockView all{BlockView::Shown::All, BlockView::Rest::Open, {}};
    setView(m_view == all ? BlockView() : all);
}

NodeId Collapse::inNextCopy(GraphSide side, NodeId node, int step) const {
    const std::uint32_t inside = blockOf(side, node);
    if (inside == Hierarchy::none)
        return snapshot::noNode;
    const Hierarchy& all = *blocks(side);
    std::uint32_t copy = inside, stack = 0;
    for (std::uint32_t block = inside; block != 0 && stack == 0; block = all.blocks[block].parent) {
        if (all.blocks[block].kind == Block::Kind::Stack)
            stack = block;
        else if (all.blocks[block].kind != Block::Kind::Part)
            copy = block;
    }
    if (stack == 0 || copy == stack)
        return snapshot::noNode;
    std::vector<std::uint32_t> copies, open{stack}; // those in parts too
    while (!open.empty()) {
        const std::uint32_t block = open.back();
        open.pop_back();
        if (block != stack && all.blocks[block].kind != Block::Kind::Part)
            copies.push_back(block);
        else
            open.insert(open.end(), all.blocks[block].blocks.rbegin(),
                        all.blocks[block].blocks.rend());
    }
    const auto at = std::find(copies.begin(), copies.end(), copy) - copies.begin();
    const auto count = std::ptrdiff_t(copies.size());
    const std::uint32_t next = copies[std::size_t((at + step + count) % count)];
    const Shown& now = shown(side);
    const auto& places = now.places.empty() ? now.blocks->placeOf : now.places;
    const auto here = all.nodesIn(copy), there = all.nodesIn(next);
    const auto place = std::find(here.begin(), here.end(), places.at(node)) - here.begin();
    return now.nodes[there[std::size_t(place)]];
}

} // namespace fw::ui
