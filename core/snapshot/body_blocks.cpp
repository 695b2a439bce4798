// Graphs inside nodes as blocks: each beside the node that it is of, with blocks of its own inside.
#include "snapshot/block_tree.h"
#include "snapshot/insides.h"

#include <algorithm>

namespace fw::snapshot {

namespace {

class Bodies {
public:
    Bodies(const GraphDocument& graph, const PlaceOf& placeOf) {
        std::vector<char> inside(graph.nodes.size(), 0);
        for (const InsideRecord& one : graph.insides) {
            std::vector<std::uint32_t> nodes;
            for (const NodeId node : one.nodes)
                if (const auto place = placeOf.find(node); place != placeOf.end()) {
                    inside[place->second] = 1;
                    nodes.push_back(place->second);
                }
            const auto owner = placeOf.find(one.node);
            if (owner == placeOf.end() || !one.leftOut.empty())
                continue;
            m_bodies[owner->second].push_back(m_blocks.size());
            m_blocks.push_back(
                bodyOf(one, graph.nodes[owner->second], scopesOf(graph, placeOf, nodes)));
        }
        std::vector<std::uint32_t> outer;
        for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
            if (!inside[i])
                outer.push_back(i);
        m_whole = scopesOf(graph, placeOf, outer);
    }

    TreeBlock take() {
        put(m_whole);
        return std::move(m_whole);
    }

private:
    static std::unique_ptr<TreeBlock> bodyOf(const InsideRecord& one, const NodeRecord& owner,
                                             TreeBlock&& scopes) {
        auto out = std::make_unique<TreeBlock>(std::move(scopes));
        out->kind = Block::Kind::Body;
        out->path = blockPathOf(one);
        out->node = one.node;
        out->title = (owner.name.empty() ? owner.op : owner.name) + " " + one.name;
        for (TreeItem& item : out->items)
            if (item.block != nullptr)
                prefix(*item.block, out->path + "/");
        return out;
    }

    static void prefix(TreeBlock& block, const std::string& around) {
        block.path = around + block.path;
        for (TreeItem& item : block.items)
            if (item.block != nullptr)
                prefix(*item.block, around);
    }

    // The bodies of what lies in the block; whether there are any.
    bool put(TreeBlock& block) {
        bool any = false;
        std::vector<TreeItem> made;
        for (TreeItem& item : block.items) {
            if (item.block != nullptr)
                any = put(*item.block) || any;
            else if (const auto found = m_bodies.find(item.first); found != m_bodies.end())
                for (const std::size_t body : found->second) {
                    std::unique_ptr<TreeBlock> inside = std::move(m_blocks[body]);
                    put(*inside);
                    any = true;
                    const std::uint32_t first =
                        inside->all.empty() ? item.first : inside->all.front();
                    made.push_back({first, std::move(inside)});
                }
            made.push_back(std::move(item));
        }
        block.items = std::move(made);
        if (any)
            gather(block);
        return any;
    }

    static void gather(TreeBlock& block) {
        block.all.clear();
        for (const TreeItem& item : block.items)
            if (item.block == nullptr)
                block.all.push_back(item.first);
            else
                block.all.insert(block.all.end(), item.block->all.begin(), item.block->all.end());
        std::sort(block.all.begin(), block.all.end());
    }

    std::vector<std::unique_ptr<TreeBlock>> m_blocks;
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> m_bodies; // by place of their node
    TreeBlock m_whole;
};

} // namespace

TreeBlock scopesAndBodies(const GraphDocument& graph, const PlaceOf& placeOf) {
    return Bodies(graph, placeOf).take();
}

} // namespace fw::snapshot
