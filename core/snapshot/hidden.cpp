#include "snapshot/hidden.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace fw::snapshot {

namespace {

using Place = std::uint32_t; // in GraphDocument::nodes

class Hiding {
public:
    Hiding(const GraphDocument& graph, const NodeSet& hidden) : m_graph(graph) {
        for (Place i = 0; i < graph.nodes.size(); ++i)
            m_placeOf.emplace(graph.nodes[i].id, i);
        const std::size_t count = graph.nodes.size();
        m_isHidden.assign(count, 0);
        m_room.assign(count, 0);
        m_level.assign(count, 0);
        m_with.resize(count);
        for (Place i = 0; i < count; ++i) {
            m_with[i] = i;
            m_isHidden[i] = !graph.nodes[i].constant && hidden.contains(graph.nodes[i].id) ? 1 : 0;
        }
    }

    Shown take() {
        hideInsides();
        join();
        makeMarks();
        order();
        addBorders();
        return std::move(m_out);
    }

private:
    // Outer bodies stand in front of those inside them.
    void hideInsides() {
        int room = 0;
        for (const InsideRecord& body : m_graph.insides) {
            ++room;
            const auto owner = m_placeOf.find(body.node);
            const bool isHidden = owner != m_placeOf.end() && m_isHidden[owner->second] != 0;
            for (const NodeId node : body.nodes)
                if (const auto at = m_placeOf.find(node); at != m_placeOf.end()) {
                    m_room[at->second] = room;
                    if (isHidden && !m_graph.nodes[at->second].constant) {
                        m_isHidden[at->second] = 1;
                        m_with[at->second] = owner->second;
                        m_follows.insert(at->second);
                    }
                }
        }
    }

    // A level is how often a way changes from what is hidden to what is shown.
    void join() {
        for (Place i = 0; i < m_graph.nodes.size(); ++i) {
            if (m_graph.nodes[i].constant || m_follows.contains(i))
                continue;
            eachMaker(i, [&](Place maker) {
                const int step = m_isHidden[maker] != 0 && m_isHidden[i] == 0 ? 1 : 0;
                m_level[i] = std::max(m_level[i], m_level[maker] + step);
            });
            if (m_isHidden[i] == 0)
                continue;
            eachMaker(i, [&](Place maker) {
                if (m_isHidden[maker] != 0 && m_level[maker] == m_level[i] &&
                    m_room[maker] == m_room[i])
                    m_with[std::max(whole(maker), whole(i))] = std::min(whole(maker), whole(i));
            });
        }
    }

    template <class Act>
    void eachMaker(Place node, const Act& act) const {
        for (const InputRef& input : m_graph.nodes[node].inputs)
            if (const auto at = m_placeOf.find(input.node);
                at != m_placeOf.end() && !m_graph.nodes[at->second].constant)
                act(at->second);
    }

    Place whole(Place node) { // the first of those that are hidden together
        while (m_with[node] != node)
            node = m_with[node] = m_with[m_with[node]];
        return node;
    }

    void makeMarks() {
        for (Place i = 0; i < m_graph.nodes.size(); ++i) {
            if (m_isHidden[i] == 0)
                continue;
            const Place first = whole(i);
            auto [at, fresh] = m_marks.try_emplace(first);
            NodeRecord& mark = at->second.node;
            if (fresh) {
                mark.id = firstHiddenMark - static_cast<NodeId>(first);
                mark.group = m_graph.nodes[i].group;
            }
            if (mark.group != m_graph.nodes[i].group)
                mark.group = -1;
            ++at->second.count;
            m_out.markOf.emplace(m_graph.nodes[i].id, mark.id);
            for (const InputRef& input : m_graph.nodes[i].inputs)
                if (const auto maker = m_placeOf.find(input.node);
                    maker != m_placeOf.end() && m_isHidden[maker->second] == 0 &&
                    !m_graph.nodes[maker->second].constant &&
                    at->second.reads.insert({input.node, input.output}).second)
                    mark.inputs.push_back(input);
        }
        for (auto& [first, mark] : m_marks)
            mark.node.op = std::to_string(mark.count) + " hidden";
    }

    // Of a mark, if a mark makes it.
    InputRef seen(const InputRef& value) {
        const auto maker = m_placeOf.find(value.node);
        if (maker == m_placeOf.end() || m_isHidden[maker->second] == 0)
            return value;
        NodeRecord& mark = m_marks.at(whole(maker->second)).node;
        const auto [number, fresh] =
            m_values.try_emplace({value.node, value.output}, static_cast<int>(mark.outputs.size()));
        if (fresh) {
            const auto& outputs = m_graph.nodes[maker->second].outputs;
            const auto at = static_cast<std::size_t>(value.output);
            mark.outputs.push_back(value.output >= 0 && at < outputs.size() ? outputs[at]
                                                                            : TensorRecord());
        }
        return {mark.id, number->second, value.name};
    }

    // As before, each mark as early as its first node, but behind what it reads.
    void order() {
        std::vector<NodeRecord> nodes; // by number; with the place by which they come
        std::vector<Place> places;
        std::unordered_map<NodeId, std::size_t> numberOf;
        const NodeSet read = constantsRead();
        for (Place i = 0; i < m_graph.nodes.size(); ++i) {
            const NodeRecord& node = m_graph.nodes[i];
            if (m_isHidden[i] != 0 || (node.constant && !read.contains(node.id)))
                continue;
            nodes.push_back(node);
            places.push_back(i);
            for (InputRef& input : nodes.back().inputs)
                input = seen(input);
        }
        for (const InsideRecord& body : m_graph.insides)
            for (const InputRef& result : body.results)
                seen(result);
        for (auto& [first, mark] : m_marks) {
            nodes.push_back(mark.node);
            places.push_back(first);
        }
        for (std::size_t i = 0; i < nodes.size(); ++i)
            numberOf.emplace(nodes[i].id, i);
        std::vector<std::size_t> waits(nodes.size(), 0);
        std::vector<std::vector<std::size_t>> readers(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i)
            for (const InputRef& input : nodes[i].inputs)
                if (const auto maker = numberOf.find(input.node); maker != numberOf.end()) {
                    readers[maker->second].push_back(i);
                    ++waits[i];
                }
        using Next = std::pair<Place, std::size_t>;
        std::priority_queue<Next, std::vector<Next>, std::greater<>> ready;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (waits[i] == 0)
                ready.emplace(places[i], i);
        for (; !ready.empty();) {
            const std::size_t next = ready.top().second;
            ready.pop();
            for (const std::size_t reader : readers[next])
                if (--waits[reader] == 0)
                    ready.emplace(places[reader], reader);
            m_out.graph.nodes.push_back(std::move(nodes[next]));
        }
    }

    NodeSet constantsRead() const {
        NodeSet out;
        for (Place i = 0; i < m_graph.nodes.size(); ++i)
            if (m_isHidden[i] == 0)
                for (const InputRef& input : m_graph.nodes[i].inputs)
                    out.insert(input.node);
        return out;
    }

    bool isShown(NodeId node) const { return m_shown.contains(node); }

    void addBorders() {
        GraphDocument& out = m_out.graph;
        out.stage = m_graph.stage;
        out.name = m_graph.name;
        out.body = m_graph.body;
        out.imported = m_graph.imported;
        std::set<int> groups;
        for (const NodeRecord& node : out.nodes) {
            m_shown.insert(node.id);
            groups.insert(node.group);
        }
        for (const NodeId input : m_graph.inputs)
            if (isShown(input))
                out.inputs.push_back(input);
        for (const InputRef& result : m_graph.results)
            if (isShown(result.node))
                out.results.push_back(result);
        for (const EdgeRecord& edge : m_graph.edges)
            if (isShown(edge.node))
                out.edges.push_back(edge);
        for (const GroupLabel& group : m_graph.groups)
            if (groups.contains(group.id))
                out.groups.push_back(group);
        addInsides();
    }

    void addInsides() {
        std::map<int, std::vector<NodeId>> marksIn;
        for (const auto& [first, mark] : m_marks)
            marksIn[m_room[first]].push_back(mark.node.id);
        int room = 0;
        for (const InsideRecord& body : m_graph.insides) {
            ++room;
            if (!isShown(body.node))
                continue;
            InsideRecord& made = m_out.graph.insides.emplace_back(body);
            std::erase_if(made.nodes, [&](NodeId node) { return !isShown(node); });
            made.nodes.insert(made.nodes.end(), marksIn[room].begin(), marksIn[room].end());
            for (InputRef& result : made.results)
                result = seen(result);
        }
    }

    struct Mark {
        NodeRecord node;
        std::size_t count = 0;
        std::set<std::pair<NodeId, int>> reads;
    };

    const GraphDocument& m_graph;
    std::unordered_map<NodeId, Place> m_placeOf;
    std::vector<char> m_isHidden;
    std::vector<int> m_room; // the body that it lies in, from 1; 0: none
    std::vector<int> m_level;
    std::vector<Place> m_with;                      // another one that is hidden with it
    std::set<Place> m_follows;                      // hidden with the node that they lie inside
    std::map<Place, Mark> m_marks;                  // by the first of its nodes
    std::map<std::pair<NodeId, int>, int> m_values; // outputs of marks
    std::unordered_set<NodeId> m_shown;
    Shown m_out;
};

} // namespace

Shown withoutHidden(const GraphDocument& graph, const NodeSet& hidden) {
    return Hiding(graph, hidden).take();
}

NodeSet othersThan(const GraphDocument& graph, const NodeSet& nodes) {
    NodeSet kept = nodes, out;
    // Inner bodies stand behind those around them.
    for (auto body = graph.insides.rbegin(); body != graph.insides.rend(); ++body)
        if (std::any_of(body->nodes.begin(), body->nodes.end(),
                        [&](NodeId node) { return kept.contains(node); }))
            kept.insert(body->node);
    for (const NodeRecord& node : graph.nodes)
        if (!node.constant && !kept.contains(node.id))
            out.insert(node.id);
    return out;
}

} // namespace fw::snapshot
