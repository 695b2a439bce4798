#include "ir/graph_order.h"

#include "ir/bound_dims.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace fw {

namespace {

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

class Ordering {
public:
    Ordering(const std::vector<NodePtr>& nodes, const OperatorSet& operators)
        : m_nodes(nodes), m_binders(bindersAmong(nodes, operators)),
          m_position(nodes.size(), nowhere) {}

    Result<std::vector<NodeId>> run(const std::vector<NodeId>& wish) {
        m_order.reserve(wish.size());
        bool inOrder = true;
        for (const NodeId id : wish)
            if (const Node* node = find(id); node != nullptr && m_position[at(id)] == nowhere) {
                inOrder = inOrder && isBehindProducers(*node);
                m_position[at(id)] = m_order.size();
                m_order.push_back(id);
            }
        return inOrder ? std::move(m_order) : sorted();
    }

private:
    static std::size_t at(NodeId id) { return static_cast<std::size_t>(id); }
    const Node* find(NodeId id) const {
        return id >= 0 && at(id) < m_nodes.size() ? m_nodes[at(id)].get() : nullptr;
    }

    bool isBehindProducers(const Node& node) {
        const auto isPlaced = [&](NodeId id) {
            return find(id) != nullptr && m_position[at(id)] != nowhere;
        };
        for (const ValueRef& input : node.inputs)
            if (input.valid() && !isPlaced(input.node))
                return false;
        m_producers.clear();
        addBindersOf(node, m_binders, m_producers);
        return std::all_of(m_producers.begin(), m_producers.end(), isPlaced);
    }

    // Kahn's algorithm, by places in the wish.
    Result<std::vector<NodeId>> sorted() {
        std::vector<std::size_t> waiting(m_order.size(), 0);
        std::vector<std::vector<std::size_t>> consumers(m_order.size());
        std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
        for (std::size_t place = 0; place < m_order.size(); ++place) {
            const Node& node = *find(m_order[place]);
            m_producers.clear();
            for (const ValueRef& input : node.inputs) {
                if (!input.valid())
                    continue;
                if (find(input.node) == nullptr)
                    return makeDiag(DiagCode::GraphInvalid, "an operand was removed",
                                    {{}, node.name});
                m_producers.push_back(input.node);
            }
            addBindersOf(node, m_binders, m_producers);
            std::sort(m_producers.begin(), m_producers.end());
            m_producers.erase(std::unique(m_producers.begin(), m_producers.end()),
                              m_producers.end());
            waiting[place] = m_producers.size();
            for (const NodeId producer : m_producers)
                consumers[m_position[at(producer)]].push_back(place);
            if (m_producers.empty())
                ready.push(place);
        }
        std::vector<NodeId> out;
        out.reserve(m_order.size());
        while (!ready.empty()) {
            const std::size_t place = ready.top();
            ready.pop();
            out.push_back(m_order[place]);
            for (const std::size_t consumer : consumers[place])
                if (--waiting[consumer] == 0)
                    ready.push(consumer);
        }
        for (std::size_t place = 0; place < m_order.size(); ++place)
            if (waiting[place] > 0)
                return makeDiag(DiagCode::OnnxCycle, "the graph has a cycle",
                                {{}, find(m_order[place])->name},
                                "an operator may not depend on its own result");
        return out;
    }

    const std::vector<NodePtr>& m_nodes;
    const Binders m_binders;
    std::vector<std::size_t> m_position; // by id: in m_order
    std::vector<NodeId> m_order;
    std::vector<NodeId> m_producers;
};

} // namespace

Binders bindersAmong(const std::vector<NodePtr>& nodes, const OperatorSet& operators) {
    Binders out;
    for (const NodePtr& node : nodes)
        if (node)
            for (const Symbol dim : dimsBoundBy(operators, *node))
                out.emplace(dim, node->id);
    return out;
}

void addBindersOf(const Node& node, const Binders& binders, std::vector<NodeId>& out) {
    if (binders.empty())
        return;
    for (const Symbol dim : dimsIn(node))
        if (const auto binder = binders.find(dim);
            binder != binders.end() && binder->second != node.id)
            out.push_back(binder->second);
}

Result<std::vector<NodeId>> inOrder(const std::vector<NodePtr>& nodes,
                                    const std::vector<NodeId>& wish, const OperatorSet& operators) {
    return Ordering(nodes, operators).run(wish);
}

} // namespace fw
