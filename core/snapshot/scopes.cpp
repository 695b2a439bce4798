// Scopes are the parts of a node's name but the last one. A group lies in the scope that all of its
// nodes share; a node without a name in the one that its operands share.
#include "snapshot/scopes.h"

#include "base/hash.h"
#include "snapshot/block_tree.h"

#include <algorithm>
#include <map>

namespace fw::snapshot {

namespace {

constexpr std::uint32_t notThere = Hierarchy::none;
constexpr std::size_t mostDepth = 24; // of scopes; parts of a name behind that are one

struct Scope {
    std::uint32_t parent = 0, depth = 0;
    std::string_view name;
};

class Scopes {
public:
    Scopes(const GraphDocument& graph, const PlaceOf& placeOf,
           const std::vector<std::uint32_t>& nodes)
        : m_graph(graph), m_placeOf(placeOf), m_nodes(nodes), m_scopeOf(graph.nodes.size(), 0) {
        m_scopes.emplace_back();
    }

    TreeBlock take() {
        for (const std::uint32_t i : m_nodes)
            m_scopeOf[i] = scopeOf(m_graph.nodes[i]);
        findGroups();
        m_blocks.resize(m_scopes.size());
        for (std::uint32_t s = 0; s < m_scopes.size(); ++s)
            m_blocks[s] = blockOf(s);
        for (const std::uint32_t i : m_nodes)
            if (!m_graph.nodes[i].constant)
                place(i);
        TreeBlock whole = std::move(*m_blocks[0]);
        simplify(whole);
        unwrap(whole);
        return whole;
    }

private:
    std::uint32_t inner(std::uint32_t parent, std::string_view name) {
        const std::uint64_t key = mixHash(hashOf(name).low, parent);
        const auto [from, to] = m_inner.equal_range(key);
        for (auto it = from; it != to; ++it)
            if (m_scopes[it->second].parent == parent && m_scopes[it->second].name == name)
                return it->second;
        const auto made = static_cast<std::uint32_t>(m_scopes.size());
        m_scopes.push_back({parent, m_scopes[parent].depth + 1, name});
        m_inner.emplace(key, made);
        return made;
    }

    std::uint32_t scopeOf(const NodeRecord& node) {
        if (node.constant || isInput(node))
            return 0;
        std::uint32_t scope = 0;
        if (node.name.empty()) {
            bool any = false;
            for (const InputRef& input : node.inputs)
                if (const auto at = m_placeOf.find(input.node); at != m_placeOf.end()) {
                    const NodeRecord& maker = m_graph.nodes[at->second];
                    if (maker.constant || isInput(maker))
                        continue;
                    scope = any ? shared(scope, m_scopeOf[at->second]) : m_scopeOf[at->second];
                    any = true;
                }
            return scope;
        }
        for (const std::string_view part : scopePartsOf(node.name))
            scope = inner(scope, part);
        return scope;
    }

    std::uint32_t shared(std::uint32_t a, std::uint32_t b) const {
        while (a != b)
            (m_scopes[a].depth >= m_scopes[b].depth ? a : b) =
                m_scopes[m_scopes[a].depth >= m_scopes[b].depth ? a : b].parent;
        return a;
    }

    void findGroups() {
        for (const GroupLabel& group : m_graph.groups)
            m_groups.try_emplace(group.id);
        for (const std::uint32_t i : m_nodes) {
            const NodeRecord& node = m_graph.nodes[i];
            const auto found = m_groups.find(node.group);
            if (node.constant || isInput(node) || found == m_groups.end())
                continue;
            Group& group = found->second;
            group.scope =
                group.first == notThere ? m_scopeOf[i] : shared(group.scope, m_scopeOf[i]);
            group.first = std::min(group.first, i);
        }
        for (const GroupLabel& label : m_graph.groups)
            m_groups.at(label.id).label = &label;
    }

    std::unique_ptr<TreeBlock> blockOf(std::uint32_t scope) const {
        auto out = std::make_unique<TreeBlock>();
        if (scope == 0) {
            out->kind = Block::Kind::Whole;
            return out;
        }
        const Scope& one = m_scopes[scope];
        const std::string& around = m_blocks[one.parent]->path;
        out->path = around.empty() ? std::string(one.name) : around + "/" + std::string(one.name);
        out->title = one.name;
        const bool number = one.name.find_first_not_of("0123456789") == std::string_view::npos;
        if (number && one.parent != 0) // "layers/3" says more than "3"
            out->title = std::string(m_scopes[one.parent].name) + "/" + out->title;
        return out;
    }

    void place(std::uint32_t node) {
        const bool input = isInput(m_graph.nodes[node]);
        TreeItem item{node, nullptr};
        std::uint32_t scope = m_scopeOf[node];
        const auto found = input ? m_groups.end() : m_groups.find(m_graph.nodes[node].group);
        if (found != m_groups.end()) {
            Group& group = found->second;
            scope = group.scope;
            if (group.block == nullptr) {
                const std::string& name = m_graph.nodes[node].name;
                item.block = std::make_unique<TreeBlock>();
                item.block->kind = Block::Kind::Group;
                item.block->path = "group of " + (name.empty() ? std::to_string(node) : name);
                item.block->title = group.label->name;
                item.block->group = group.label->id;
                group.block = item.block.get();
            }
            group.block->items.push_back({node, nullptr});
            group.block->all.push_back(node);
            ++group.block->operators;
        }
        if (found == m_groups.end() || item.block != nullptr)
            m_blocks[scope]->items.push_back(std::move(item));
        for (;; scope = m_scopes[scope].parent) {
            m_blocks[scope]->all.push_back(node);
            m_blocks[scope]->operators += !input;
            if (scope == 0)
                break;
        }
    }

    // Puts the scopes into each other; what holds one operator, or only one scope, is none.
    void simplify(TreeBlock& whole) {
        for (auto scope = static_cast<std::uint32_t>(m_scopes.size());
             --scope > 0;) { // inner first
            const std::uint32_t parent = m_scopes[scope].parent;
            TreeBlock& block = *m_blocks[scope];
            std::vector<TreeItem>& into = parent == 0 ? whole.items : m_blocks[parent]->items;
            std::sort(block.items.begin(), block.items.end(),
                      [](const TreeItem& a, const TreeItem& b) { return a.first < b.first; });
            const bool wrapper = block.items.size() == 1 && block.items.front().block != nullptr;
            if (block.operators < 2) {
                std::move(block.items.begin(), block.items.end(), std::back_inserter(into));
            } else if (wrapper) {
                TreeBlock& only = *block.items.front().block;
                if (only.kind == Block::Kind::Scope && !only.title.starts_with(block.title + "/"))
                    only.title = block.title + "/" + only.title;
                into.push_back(std::move(block.items.front()));
            } else {
                const std::uint32_t first = block.all.front();
                into.push_back({first, std::move(m_blocks[scope])});
            }
        }
        std::sort(whole.items.begin(), whole.items.end(),
                  [](const TreeItem& a, const TreeItem& b) { return a.first < b.first; });
    }

    // A graph of which everything lies in one scope begins inside of that.
    void unwrap(TreeBlock& whole) const {
        const auto only = [&]() -> TreeItem* {
            TreeItem* found = nullptr;
            for (TreeItem& item : whole.items) {
                if (item.block == nullptr && isInput(m_graph.nodes[item.first]))
                    continue;
                if (found != nullptr || item.block == nullptr ||
                    item.block->kind != Block::Kind::Scope)
                    return nullptr;
                found = &item;
            }
            return found;
        };
        while (TreeItem* item = only()) {
            const std::unique_ptr<TreeBlock> block = std::move(item->block);
            whole.items.erase(whole.items.begin() + (item - whole.items.data()));
            std::move(block->items.begin(), block->items.end(), std::back_inserter(whole.items));
            std::sort(whole.items.begin(), whole.items.end(),
                      [](const TreeItem& a, const TreeItem& b) { return a.first < b.first; });
        }
    }

    struct Group {
        const GroupLabel* label = nullptr;
        std::uint32_t scope = 0, first = notThere;
        TreeBlock* block = nullptr;
    };

    const GraphDocument& m_graph;
    const PlaceOf& m_placeOf;
    const std::vector<std::uint32_t>& m_nodes;
    std::vector<std::uint32_t> m_scopeOf; // by place of the node
    std::vector<Scope> m_scopes;          // outer ones first; the first is the whole
    std::unordered_multimap<std::uint64_t, std::uint32_t> m_inner;
    std::map<int, Group> m_groups;
    std::vector<std::unique_ptr<TreeBlock>> m_blocks; // by scope
};

} // namespace

std::vector<std::string_view> scopePartsOf(std::string_view name) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; out.size() < mostDepth;) {
        const std::size_t end = name.find_first_of("/.", at);
        if (end == std::string_view::npos || end + 1 == name.size())
            break;
        if (end > at)
            out.push_back(name.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

TreeBlock scopesOf(const GraphDocument& graph, const PlaceOf& placeOf,
                   const std::vector<std::uint32_t>& nodes) {
    return Scopes(graph, placeOf, nodes).take();
}

} // namespace fw::snapshot
