// What is known of the nodes of one graph, by their ids.
#pragma once

#include "base/result.h"
#include "ir/graph.h"

#include <optional>
#include <utility>
#include <vector>

namespace fw {

// A map whose keys lie close together: nothing is searched.
template <class T>
class NodeTable {
public:
    explicit NodeTable(const Graph& graph) : m_items(static_cast<std::size_t>(graph.nextId())) {}

    bool contains(NodeId id) const { return find(id) != nullptr; }
    const T* find(NodeId id) const { // nullptr if nothing is known
        const auto place = static_cast<std::size_t>(id);
        return place < m_items.size() && m_items[place] ? &*m_items[place] : nullptr;
    }
    const T& at(NodeId id) const { // InternalError if nothing is known
        if (const T* found = find(id))
            return *found;
        throw InternalError("nothing is known of a node");
    }
    void set(NodeId id, T item) { m_items.at(static_cast<std::size_t>(id)) = std::move(item); }

private:
    std::vector<std::optional<T>> m_items;
};

} // namespace fw
