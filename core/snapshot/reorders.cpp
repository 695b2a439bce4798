#include "snapshot/reorders.h"

#include "snapshot/time_text.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace fw::snapshot {

namespace {

template <class Act>
void eachReorder(const FuseDocument& plan, const Act& act) {
    NodeId id = firstReorder;
    for (const GroupRecord& group : plan.groups)
        for (const ReorderRecord& one : group.reorders)
            act(id--, group, one);
}

class Placing {
public:
    Placing(GraphDocument& graph, const FuseDocument& plan, const ProfileDocument* times)
        : m_graph(graph), m_times(times) {
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            const NodeRecord& node = graph.nodes[i];
            for (int output = 0; output < static_cast<int>(node.outputs.size()); ++output)
                m_makers.emplace(node.outputs[static_cast<std::size_t>(output)].name,
                                 Maker{i, node.id, output, node.group});
        }
        std::vector<NodeRecord> made; // each with the place of its maker
        std::vector<std::size_t> behind;
        eachReorder(plan, [&](NodeId id, const GroupRecord& group, const ReorderRecord& one) {
            const auto maker = m_makers.find(one.value);
            if (maker == m_makers.end())
                return;
            if (NodeRecord node = placed(id, group, one, maker->second); node.id != noNode) {
                made.push_back(std::move(node));
                behind.push_back(maker->second.place);
            }
        });
        insert(std::move(made), behind);
    }

private:
    static constexpr int noGroup = -2; // -1 is of what no group has

    struct Maker { // of a tensor, or what hands it on
        std::size_t place;
        NodeId node;
        int output, group;
    };

    // noNode: nobody reads it there.
    NodeRecord placed(NodeId id, const GroupRecord& group, const ReorderRecord& one, Maker& maker) {
        const InputRef value{maker.node, maker.output, one.value};
        const bool isBehind = maker.group == group.id;
        bool any = false;
        const auto lead = [&](InputRef& input) {
            if (input.node != value.node || input.output != value.output)
                return;
            any = true;
            input = {id, 0, one.value};
        };
        for (NodeRecord& node : m_graph.nodes)
            if ((node.group == group.id) != isBehind)
                for (InputRef& input : node.inputs)
                    lead(input);
        if (isBehind)
            for (InputRef& result : m_graph.results)
                lead(result);
        NodeRecord out;
        if (!any)
            return out;
        out.id = id;
        out.op = "reorder";
        out.name = one.layout;
        if (const std::string time = reorderTime(one, m_times); !time.empty())
            out.name += (out.name.empty() ? "" : ", ") + time;
        out.inputs = {value};
        for (const TensorRecord& output : m_graph.nodes[maker.place].outputs)
            if (output.name == one.value)
                out.outputs = {output};
        out.group = group.id;
        if (isBehind)
            maker = {maker.place, id, 0, noGroup};
        return out;
    }

    void insert(std::vector<NodeRecord> made, const std::vector<std::size_t>& behind) {
        std::vector<NodeRecord> nodes;
        std::multimap<std::size_t, std::size_t> at;
        for (std::size_t i = 0; i < made.size(); ++i)
            at.emplace(behind[i], i);
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
            nodes.push_back(std::move(m_graph.nodes[i]));
            for (auto [from, to] = at.equal_range(i); from != to; ++from)
                nodes.push_back(std::move(made[from->second]));
        }
        m_graph.nodes = std::move(nodes);
    }

    GraphDocument& m_graph;
    const ProfileDocument* m_times;
    std::unordered_map<std::string, Maker> m_makers;
};

} // namespace

Reorder reorderOf(const FuseDocument& plan, NodeId id) {
    Reorder out;
    eachReorder(plan, [&](NodeId one, const GroupRecord& group, const ReorderRecord& record) {
        if (one == id)
            out = {&record, &group};
    });
    return out;
}

std::string reorderTime(const ReorderRecord& reorder, const ProfileDocument* times) {
    if (times != nullptr)
        for (const auto& row : times->rows)
            if (row.group == reorder.name)
                return timeText(row.medianUs);
    return reorder.estUs ? "≈" + timeText(*reorder.estUs) : std::string();
}

GraphDocument withReorders(GraphDocument graph, const FuseDocument& plan,
                           const ProfileDocument* times) {
    if (std::any_of(plan.groups.begin(), plan.groups.end(),
                    [](const GroupRecord& group) { return !group.reorders.empty(); }))
        Placing(graph, plan, times);
    return graph;
}

} // namespace fw::snapshot
