#include "snapshot/hierarchy.h"

#include "base/hash.h"
#include "snapshot/block_tree.h"

#include <algorithm>

namespace fw::snapshot {

namespace {

class Flattening {
public:
    explicit Flattening(Hierarchy& out) : m_out(out) {}

    // `closed`: it lies in a body that is too large to be shown whole.
    void add(TreeBlock&& block, std::uint32_t parent, bool closed = false) {
        const auto number = static_cast<std::uint32_t>(m_out.blocks.size());
        Block& made = m_out.blocks.emplace_back();
        made.kind = block.kind;
        made.title = std::move(block.title);
        made.path = std::move(block.path);
        while (!made.path.empty() && !m_paths.insert(made.path).second)
            made.path += '\'';
        made.id = idOf(made.path);
        m_out.numberOf.emplace(made.id, number);
        made.parent = parent;
        made.operators = block.operators;
        made.copies = block.copies;
        made.group = block.group;
        const bool body = block.kind == Block::Kind::Body;
        made.box = body ? block.node : made.id;
        made.closedAtFirst = body || closed;
        closed = body ? block.all.size() > mostInBlock : closed;
        if (number != parent)
            m_out.blocks[parent].blocks.push_back(number);
        for (TreeItem& item : block.items)
            if (item.block == nullptr) {
                m_out.blocks[number].nodes.push_back(item.first);
                m_out.blockOf[item.first] = number;
            }
        for (TreeItem& item : block.items)
            if (item.block != nullptr)
                add(std::move(*item.block), number, closed);
    }

private:
    std::int64_t idOf(const std::string& path) const {
        constexpr std::uint64_t most = (std::uint64_t{1} << 61) - 1;
        auto id = mostBlockId - static_cast<std::int64_t>(hashOf(path).low & most);
        while (m_out.numberOf.contains(id))
            --id;
        return id;
    }

    Hierarchy& m_out;
    std::set<std::string> m_paths;
};

} // namespace

Hierarchy hierarchyOf(const GraphDocument& graph) {
    Hierarchy out;
    out.blockOf.assign(graph.nodes.size(), Hierarchy::none);
    out.placeOf.reserve(graph.nodes.size());
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
        out.placeOf.emplace(graph.nodes[i].id, i);
        out.drawn += !graph.nodes[i].constant;
    }
    for (const NodeRecord& node : graph.nodes) {
        out.firstMaker.push_back(static_cast<std::uint32_t>(out.makers.size()));
        for (const InputRef& input : node.inputs) {
            const auto maker = out.placeOf.find(input.node);
            out.makers.push_back(maker == out.placeOf.end() ? Hierarchy::none : maker->second);
        }
    }
    out.firstMaker.push_back(static_cast<std::uint32_t>(out.makers.size()));
    Flattening(out).add(blockTree(graph, out.placeOf), 0);
    return out;
}

const Block* Hierarchy::find(std::int64_t id) const {
    const auto found = numberOf.find(id);
    return found == numberOf.end() ? nullptr : &blocks[found->second];
}

std::vector<std::uint32_t> Hierarchy::bodiesOf(NodeId node) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
        if (blocks[b].kind == Block::Kind::Body && blocks[b].box == node)
            out.push_back(b);
    return out;
}

std::vector<std::uint32_t> Hierarchy::nodesIn(std::uint32_t block) const {
    std::vector<std::uint32_t> out, open{block};
    while (!open.empty()) {
        const Block& one = blocks[open.back()];
        open.pop_back();
        out.insert(out.end(), one.nodes.begin(), one.nodes.end());
        open.insert(open.end(), one.blocks.begin(), one.blocks.end());
    }
    std::sort(out.begin(), out.end());
    return out;
}

bool Hierarchy::isInside(std::uint32_t block, std::uint32_t outer) const {
    while (block != outer && block != 0)
        block = blocks[block].parent;
    return block == outer;
}

void BlockView::set(const Block& block, Rest state) {
    if (state == restOf(block))
        others.erase(block.path);
    else
        others.insert(block.path);
}

BlockView openTo(const Hierarchy& hierarchy, std::uint32_t depth) {
    BlockView out{BlockView::Shown::All, BlockView::Rest::Closed, {}};
    std::vector<std::uint32_t> around(hierarchy.blocks.size(), 0);
    for (std::uint32_t b = 1; b < hierarchy.blocks.size(); ++b) {
        const Block& block = hierarchy.blocks[b];
        around[b] = block.parent == 0 ? 0 : around[block.parent] + 1;
        if (around[b] < depth)
            out.set(block, BlockView::Rest::Open);
    }
    return out;
}

std::vector<std::uint32_t> closedAround(const Hierarchy& hierarchy, const BlockView& view) {
    std::vector<std::uint32_t> out(hierarchy.blocks.size(), Hierarchy::none);
    for (std::uint32_t b = 0; b < hierarchy.blocks.size(); ++b) {
        const Block& block = hierarchy.blocks[b];
        out[b] = out[block.parent];
        if (out[b] == Hierarchy::none && !view.isOpen(block))
            out[b] = b;
    }
    return out;
}

} // namespace fw::snapshot
