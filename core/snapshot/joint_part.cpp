// The part of a joint graph around some of its nodes.
#include "snapshot/joint.h"

#include <algorithm>
#include <limits>
#include <map>

namespace fw::snapshot {

namespace {

constexpr std::size_t notInPart = std::numeric_limits<std::size_t>::max();

std::vector<std::vector<std::size_t>> neighboursOf(const JointGraph& whole) {
    std::vector<std::vector<std::size_t>> out(whole.nodes.size());
    for (std::size_t i = 0; i < whole.nodes.size(); ++i)
        for (const InputRef& input : whole.graph.nodes[i].inputs) {
            const auto from = static_cast<std::size_t>(input.node);
            if (whole.graph.nodes[from].constant)
                continue; // not drawn, and no way from one reader to another
            out[i].push_back(from);
            out[from].push_back(i);
        }
    return out;
}

} // namespace

JointGraph partOf(const JointGraph& whole, std::span<const std::size_t> seeds, std::size_t most,
                  std::vector<std::size_t>& places) {
    const auto neighbours = neighboursOf(whole);
    std::vector<char> taken(whole.nodes.size(), 0);
    places.clear();
    const auto take = [&](std::size_t at) {
        if (places.size() < most && !whole.graph.nodes[at].constant && !taken[at]) {
            taken[at] = 1;
            places.push_back(at);
        }
    };
    for (const std::size_t seed : seeds)
        take(seed);
    for (std::size_t i = 0; i < places.size(); ++i)
        for (const std::size_t next : neighbours[places[i]])
            take(next);
    std::sort(places.begin(), places.end());

    JointGraph out;
    out.states = whole.states;
    out.graph.stage = whole.graph.stage;
    out.graph.name = whole.graph.name;
    std::vector<std::size_t> placeOf(whole.nodes.size(), notInPart);
    for (std::size_t i = 0; i < places.size(); ++i)
        placeOf[places[i]] = i;
    std::vector<int> groupOf(whole.graph.groups.size(), -1);
    std::multimap<NodeId, const EdgeRecord*> classes;
    for (const EdgeRecord& edge : whole.graph.edges)
        classes.emplace(edge.node, &edge);
    for (const std::size_t at : places) {
        NodeRecord record = whole.graph.nodes[at];
        JointNode node = whole.nodes[at];
        record.id = static_cast<NodeId>(out.nodes.size());
        record.inputs.clear();
        std::vector<std::size_t> operandAt(whole.graph.nodes[at].inputs.size(), notInPart);
        for (std::size_t k = 0; k < operandAt.size(); ++k) {
            InputRef input = whole.graph.nodes[at].inputs[k];
            const std::size_t from = placeOf[static_cast<std::size_t>(input.node)];
            if (from == notInPart)
                continue;
            operandAt[k] = record.inputs.size();
            input.node = static_cast<NodeId>(from);
            record.inputs.push_back(std::move(input));
        }
        const auto [first, last] = classes.equal_range(whole.graph.nodes[at].id);
        for (auto one = first; one != last; ++one)
            if (const std::size_t k = operandAt[static_cast<std::size_t>(one->second->operand)];
                k != notInPart)
                out.graph.edges.push_back({record.id, static_cast<int>(k), one->second->carries});
        for (std::vector<std::size_t>& hidden : node.hidden) {
            std::erase_if(hidden, [&](std::size_t k) { return operandAt[k] == notInPart; });
            for (std::size_t& k : hidden)
                k = operandAt[k];
        }
        if (record.group >= 0) {
            int& group = groupOf[static_cast<std::size_t>(record.group)];
            if (group < 0) {
                group = static_cast<int>(out.graph.groups.size());
                out.graph.groups.push_back(
                    whole.graph.groups[static_cast<std::size_t>(record.group)]);
                out.graph.groups.back().id = group;
                out.labels.push_back(whole.labels[static_cast<std::size_t>(record.group)]);
            }
            record.group = group;
        }
        out.graph.nodes.push_back(std::move(record));
        out.nodes.push_back(std::move(node));
    }
    for (std::size_t i = 0; i < whole.graph.results.size(); ++i) {
        InputRef result = whole.graph.results[i];
        const std::size_t maker = placeOf[static_cast<std::size_t>(result.node)];
        if (maker == notInPart)
            continue;
        result.node = static_cast<NodeId>(maker);
        out.graph.results.push_back(std::move(result));
        out.results.push_back(whole.results[i]);
    }
    return out;
}

} // namespace fw::snapshot
