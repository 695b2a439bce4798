#include "views/graph/collapse.h"

#include "snapshot/hidden.h"
#include "snapshot/insides.h"
#include "snapshot/open_blocks.h"
#include "snapshot/reorders.h"

#include <algorithm>

namespace fw::ui {

using snapshot::Block;
using snapshot::BlockView;
using snapshot::Hierarchy;
using snapshot::NodeId;
using namespace Qt::StringLiterals;

struct Collapse::Coming {
    Graph graph; // null: the blocks are of another one
    BlockView view;
    PaneBlocks shown;
};

void Collapse::add(GraphPane* pane) {
    m_panes.push_back(pane);
    connect(pane, &GraphPane::busyChanged, this, [this, pane] {
        if (!pane->busy())
            arrived(pane);
    });
    connect(pane, &QObject::destroyed, this, [this, pane] {
        std::erase(m_panes, pane);
        m_shown.erase(pane);
        m_coming.erase(pane);
    });
}

const Collapse::PaneBlocks& Collapse::shown(const GraphPane* pane) const {
    static const PaneBlocks nothing;
    const auto found = m_shown.find(pane);
    return found == m_shown.end() ? nothing : found->second;
}

void Collapse::begin(const std::string& model, const snapshot::GraphDocument& graph) {
    if (model == m_model)
        return;
    m_model = model;
    const auto inside = snapshot::nodesInside(graph); // which are closed at first
    const auto boxes =
        std::size_t(std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
            return !node.constant && !inside.contains(node.id);
        }));
    m_view = boxes <= mostOpen ? BlockView{}
                               : BlockView{BlockView::Shown::All, BlockView::Rest::Closed, {}};
    if (const auto saved = std::exchange(m_saved, {});
        saved && (boxes <= mostShown || saved->rest == BlockView::Rest::Closed))
        m_view = *saved;
    m_drawn = m_view;
    m_revealing.clear();
}

void Collapse::restore(BlockView view) {
    m_saved = std::move(view);
    m_model.clear();
}

void Collapse::setView(BlockView view) {
    m_revealing.clear(); // what people open or close stays
    if (view == m_view)
        return;
    m_view = std::move(view);
    Q_EMIT changed();
}

void Collapse::show(GraphPane* pane, const Graph& graph, const picture::DiagramOptions& options,
                    const BlockView& view, const Marks& marks) {
    auto& coming = m_coming[pane];
    std::shared_ptr<const Hierarchy> known;
    if (coming && coming->graph == graph && !pane->busy())
        known = shown(pane).blocks;
    coming = std::make_shared<Coming>();
    coming->graph = graph;
    coming->view = view;
    coming->shown.marks = marks;
    pane->setDiagram([coming, options, known] { // in another thread
        picture::DiagramOptions all = options;
        all.blocks = known ? known : std::make_shared<const Hierarchy>(hierarchyOf(*coming->graph));
        all.view = coming->view;
        coming->shown.blocks = all.blocks;
        for (const auto& node : coming->graph->nodes)
            coming->shown.nodes.push_back(node.id);
        return picture::diagramOf(*coming->graph, all);
    });
}

void Collapse::showOthers(GraphPane* pane, std::shared_ptr<const Hierarchy> blocks,
                          std::vector<NodeId> nodes, std::vector<std::int64_t> containers) {
    auto coming = std::make_shared<Coming>();
    coming->view = m_view;
    coming->shown.blocks = std::move(blocks);
    for (std::uint32_t place = 0; place < nodes.size(); ++place)
        if (nodes[place] != snapshot::noNode)
            coming->shown.places.emplace(nodes[place], place);
    coming->shown.nodes = std::move(nodes);
    coming->shown.containers = std::move(containers);
    m_coming[pane] = std::move(coming);
}

void Collapse::arrived(const GraphPane* pane) {
    const std::shared_ptr<Coming> coming = m_coming[pane];
    if (!coming || !coming->shown.blocks || !pane->canvas()->picture())
        return;
    PaneBlocks& now = m_shown[pane];
    now = coming->shown;
    now.closed = closedAround(*now.blocks, coming->view);
    if (std::none_of(m_panes.begin(), m_panes.end(),
                     [](const GraphPane* each) { return each->busy(); }))
        m_drawn = m_view;
    Q_EMIT settled();
}

std::uint32_t Collapse::blockOf(const GraphPane* pane, NodeId node) const {
    const PaneBlocks& now = shown(pane);
    if (!now.blocks)
        return Hierarchy::none;
    const auto& places = now.places.empty() ? now.blocks->placeOf : now.places;
    const auto place = places.find(seenAs(pane, node));
    return place == places.end() ? Hierarchy::none : now.blocks->blockOf[place->second];
}

NodeId Collapse::seenAs(const GraphPane* pane, NodeId node) const {
    const Marks& marks = shown(pane).marks;
    const auto mark = marks.find(node);
    return mark == marks.end() ? node : mark->second;
}

std::int64_t Collapse::boxOf(const GraphPane* pane, NodeId node) const {
    const std::uint32_t block = blockOf(pane, node);
    const PaneBlocks& now = shown(pane);
    return block == Hierarchy::none || now.closed[block] == Hierarchy::none
               ? seenAs(pane, node)
               : now.blocks->blocks[now.closed[block]].box;
}

std::int64_t Collapse::boxAt(const GraphPane* pane, std::uint32_t place) const {
    const PaneBlocks& now = shown(pane);
    if (!now.blocks || place >= now.nodes.size())
        return snapshot::noNode;
    const std::uint32_t block = now.blocks->blockOf[place];
    return block == Hierarchy::none || now.closed[block] == Hierarchy::none
               ? now.nodes[place]
               : now.blocks->blocks[now.closed[block]].box;
}

bool Collapse::isMissing(const GraphPane* pane, NodeId node) const {
    return blocks(pane) && blockOf(pane, node) == Hierarchy::none;
}

Ids Collapse::boxesOf(const GraphPane* pane, const snapshot::NodeSet& nodes) const {
    Ids out;
    std::set<std::int64_t> known;
    for (const NodeId node : nodes)
        if (const std::int64_t box = boxOf(pane, node); box == node || known.insert(box).second)
            out.push_back(box);
    return out;
}

std::map<std::int64_t, double> Collapse::onBoxes(const GraphPane* pane,
                                                 const std::map<std::int64_t, double>& values,
                                                 Together together) const {
    std::map<std::int64_t, double> out;
    for (const auto& [node, value] : values) {
        double& all = out[boxOf(pane, node)];
        all = together == Together::Sum ? all + value : std::max(all, value);
    }
    return out;
}

std::vector<Halo> Collapse::onBoxes(const GraphPane* pane, std::vector<Halo> halos) const {
    std::vector<Halo> out;
    std::map<std::pair<Halo::Look, std::int64_t>, int> hidden;
    for (Halo& halo : halos) {
        std::set<std::int64_t> closed;
        std::erase_if(halo.ids, [&](std::int64_t id) {
            const std::int64_t box = boxOf(pane, id);
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
        out.push_back({{place.second}, place.first, u"×%1"_s.arg(count)});
    return out;
}

snapshot::NodeSet Collapse::nodesOf(const GraphPane* pane, const Ids& boxes) const {
    snapshot::NodeSet out;
    const PaneBlocks& now = shown(pane);
    const auto add = [&](NodeId node) {
        if (!snapshot::isHiddenMark(node)) {
            if (!snapshot::isReorder(node)) // which is no operator
                out.insert(node);
            return;
        }
        for (const auto& [hidden, mark] : now.marks)
            if (mark == node)
                out.insert(hidden);
    };
    for (const std::int64_t box : boxes) {
        if (box >= 0 || snapshot::isHiddenMark(box))
            add(box);
        if (!now.blocks || !snapshot::isBlock(box))
            continue;
        if (const auto block = now.blocks->numberOf.find(box); block != now.blocks->numberOf.end())
            for (const std::uint32_t place : now.blocks->nodesIn(block->second))
                if (now.nodes[place] != snapshot::noNode)
                    add(now.nodes[place]);
    }
    return out;
}

const Block* Collapse::blockAt(const GraphPane* pane, std::int64_t id) const {
    const Hierarchy* all = blocks(pane);
    if (!all)
        return nullptr;
    if (snapshot::isBlock(id))
        return all->find(id);
    const auto& containers = shown(pane).containers;
    const auto found = std::find_if(all->blocks.begin(), all->blocks.end(), [&](const Block& one) {
        return one.kind == Block::Kind::Group &&
               (containers.empty() ? one.group : containers[std::size_t(one.group)]) == id;
    });
    return found == all->blocks.end() ? nullptr : &*found;
}

// In all panes the block stays where it is, in this one at `at`.
void Collapse::hold(const GraphPane* pane, const Block& block, std::optional<QPointF> at) {
    for (GraphPane* each : m_panes) {
        const auto& containers = shown(each).containers;
        const std::int64_t container =
            block.group >= 0 && std::size_t(block.group) < containers.size()
                ? containers[std::size_t(block.group)]
                : block.group;
        each->canvas()->hold(block.id, container, each == pane ? at : std::optional<QPointF>());
    }
}

void Collapse::toggle(const GraphPane* pane, std::int64_t id, QPointF at) {
    const Block* block = blockAt(pane, id);
    if (!block)
        return;
    hold(pane, *block, at);
    BlockView view = m_view;
    view.set(*block, view.isOpen(*block) ? BlockView::Rest::Closed : BlockView::Rest::Open);
    setView(std::move(view));
}

bool Collapse::toggleBodies(const GraphPane* pane, NodeId node, QPointF at) {
    const Hierarchy* all = blocks(pane);
    const auto bodies = all ? all->bodiesOf(node) : std::vector<std::uint32_t>();
    if (bodies.empty())
        return false;
    const bool close = std::any_of(bodies.begin(), bodies.end(), [&](std::uint32_t body) {
        return m_view.isOpen(all->blocks[body]);
    });
    BlockView view = m_view;
    for (const std::uint32_t body : bodies)
        view.set(all->blocks[body], close ? BlockView::Rest::Closed : BlockView::Rest::Open);
    if (!close && !fits(view)) {
        Q_EMIT limited(u"a graph shows up to %1 boxes; with what lies inside this operator there "
                       "would be more: close something first, or open it in a window of its own "
                       "(Alt+Down)"_s.arg(mostShown));
        return true;
    }
    pane->canvas()->hold(node, -1, at);
    setView(std::move(view));
    return true;
}

void Collapse::openAll(const GraphPane* pane, std::int64_t id, QPointF at) {
    const Block* block = blockAt(pane, id);
    if (!block)
        return;
    hold(pane, *block, at);
    openWithin(m_view, block->path);
}

void Collapse::openWithin(BlockView view, const std::string& path) {
    std::vector<const Hierarchy*> graphs;
    for (const GraphPane* pane : m_panes)
        graphs.push_back(blocks(pane));
    snapshot::Opened opened = snapshot::openWithin(graphs, std::move(view), path, mostShown);
    if (opened.closed > 0)
        Q_EMIT limited(u"a graph shows up to %1 boxes: %2 blocks stay closed"_s.arg(mostShown).arg(
            opened.closed));
    setView(std::move(opened.view));
}

bool Collapse::fits(const BlockView& view) const {
    return std::all_of(m_panes.begin(), m_panes.end(), [&](const GraphPane* pane) {
        return !blocks(pane) || snapshot::boxesShown(*blocks(pane), view) <= mostShown;
    });
}

void Collapse::closeAround(const GraphPane* pane, const Ids& boxes) {
    const Hierarchy* all = blocks(pane);
    if (!all || boxes.empty())
        return;
    const Block* inside = blockAt(pane, boxes.front());
    std::uint32_t block = inside ? inside->parent : blockOf(pane, boxes.front());
    if (block == Hierarchy::none)
        return;
    while (block != 0 && !m_view.isShown(all->blocks[block]))
        block = all->blocks[block].parent;
    if (block == 0)
        return;
    hold(pane, all->blocks[block], {});
    BlockView view = m_view;
    view.set(all->blocks[block], BlockView::Rest::Closed);
    setView(std::move(view));
}

void Collapse::reveal(const NodesOf& nodes) {
    if (std::none_of(nodes.begin(), nodes.end(), [&](const auto& one) {
            return std::any_of(one.second.begin(), one.second.end(),
                               [&](NodeId node) { return isClosed(one.first, node, m_view); });
        }))
        return;
    BlockView view = m_view;
    for (const GraphPane* pane : m_panes)
        for (std::size_t b = 0; blocks(pane) && b < blocks(pane)->blocks.size(); ++b)
            if (const Block& block = blocks(pane)->blocks[b]; m_revealing.contains(block.path))
                view.set(block, BlockView::Rest::Closed);
    std::set<std::string> revealing;
    for (const auto& [pane, here] : nodes)
        for (const NodeId node : here)
            for (std::uint32_t at = blockOf(pane, node); at != Hierarchy::none && at != 0;
                 at = blocks(pane)->blocks[at].parent)
                if (const Block& block = blocks(pane)->blocks[at]; !view.isOpen(block)) {
                    view.set(block, BlockView::Rest::Open);
                    revealing.insert(block.path);
                }
    setView(std::move(view));
    m_revealing = std::move(revealing);
}

void Collapse::keepOpen(const GraphPane* pane, const snapshot::NodeSet& nodes) {
    for (const NodeId node : nodes)
        for (std::uint32_t at = blockOf(pane, node);
             !m_revealing.empty() && at != Hierarchy::none && at != 0;
             at = blocks(pane)->blocks[at].parent)
            m_revealing.erase(blocks(pane)->blocks[at].path);
}

void Collapse::stop() {
    bool any = false;
    for (GraphPane* pane : m_panes)
        if (pane->busy()) {
            any = true;
            m_coming.erase(pane);
            pane->stop();
        }
    if (any && m_view != m_drawn)
        setView(m_drawn);
}

bool Collapse::isClosed(const GraphPane* pane, NodeId node, const BlockView& view) const {
    for (std::uint32_t at = blockOf(pane, node); at != Hierarchy::none && at != 0;
         at = blocks(pane)->blocks[at].parent)
        if (!view.isOpen(blocks(pane)->blocks[at]))
            return true;
    return false;
}

void Collapse::closeEverything() {
    setView({BlockView::Shown::All, BlockView::Rest::Closed, {}});
}

void Collapse::openEverything() {
    const BlockView all = withBodies({BlockView::Shown::All, BlockView::Rest::Open, {}});
    const BlockView next = m_view == all ? withBodies({}) : all;
    if (fits(next))
        return setView(next);
    openWithin(withBodies({BlockView::Shown::All, BlockView::Rest::Closed, {}}), {});
}

// Graphs inside nodes that are open stay so.
BlockView Collapse::withBodies(BlockView view) const {
    for (const GraphPane* pane : m_panes)
        for (std::size_t b = 0; blocks(pane) && b < blocks(pane)->blocks.size(); ++b)
            if (const Block& block = blocks(pane)->blocks[b];
                block.closedAtFirst && m_view.isOpen(block))
                view.set(block, BlockView::Rest::Open);
    return view;
}

NodeId Collapse::inNextCopy(const GraphPane* pane, NodeId node, int step) const {
    const std::uint32_t inside = blockOf(pane, node);
    if (inside == Hierarchy::none)
        return snapshot::noNode;
    const Hierarchy& all = *blocks(pane);
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
    const PaneBlocks& now = shown(pane);
    const auto& places = now.places.empty() ? now.blocks->placeOf : now.places;
    const auto here = all.nodesIn(copy), there = all.nodesIn(next);
    const auto place = std::find(here.begin(), here.end(), places.at(node)) - here.begin();
    return now.nodes[there[std::size_t(place)]];
}

} // namespace fw::ui
