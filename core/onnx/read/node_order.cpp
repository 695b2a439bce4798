// The order in which nodes are imported: each behind those that it reads.
#include "onnx/read/model_importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace fw {

// The nodes that make what it reads, each once.
std::vector<int> ModelImporter::producersOf(int index) const {
    std::vector<int> out;
    const auto add = [&](const std::string& name) {
        if (const Name* known = find(name); known != nullptr && known->place >= 0)
            out.push_back(known->place);
    };
    for (const std::string& input : m_graph.node(index).input())
        add(input);
    for (const std::string& name : captures(m_graph.node(index)))
        add(name);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

// Kahn's algorithm; the model's own order where it is possible.
Status ModelImporter::sortNodes() {
    const auto count = static_cast<std::size_t>(m_graph.node_size());
    if (m_inOrder) {
        m_order.resize(count);
        std::iota(m_order.begin(), m_order.end(), 0);
        return {};
    }
    std::vector<std::size_t> waiting(count, 0); // for how many producers
    std::vector<std::vector<int>> consumers(count);
    std::set<int> ready;
    for (std::size_t i = 0; i < count; ++i) {
        const auto producers = producersOf(static_cast<int>(i));
        waiting[i] = producers.size();
        for (const int producer : producers)
            consumers[static_cast<std::size_t>(producer)].push_back(static_cast<int>(i));
        if (producers.empty())
            ready.insert(static_cast<int>(i));
    }
    while (!ready.empty()) {
        const int next = *ready.begin();
        ready.erase(ready.begin());
        m_order.push_back(next);
        for (const int consumer : consumers[static_cast<std::size_t>(next)])
            if (--waiting[static_cast<std::size_t>(consumer)] == 0)
                ready.insert(consumer);
    }
    if (m_order.size() < count)
        return cycle(waiting);
    m_run.out.diagnostics.push_back({DiagCode::OnnxMalformed,
                                     "the nodes were not in order and have been sorted",
                                     {},
                                     {},
                                     Severity::Note});
    return {};
}

// Inside a body a result may have the name of a value outside of it, which then nothing inside
// reads. Where one of the two is meant by a reader in front of it, that looks like a cycle.
std::optional<Diag> ModelImporter::hidesOuter(int index) const {
    for (const std::string& name : m_graph.node(index).output())
        for (const ModelImporter* outer = m_outer; outer != nullptr; outer = outer->m_outer)
            if (const Name* other = outer->find(name); other != nullptr)
                return makeDiag(
                    DiagCode::OnnxMalformed,
                    fmt::format("'{}' is defined twice: outside of the body by {}, and in it by "
                                "node {}, which depends on '{}'",
                                cleanText(name), outer->makerText(other->place), nodeName(index),
                                cleanText(name)),
                    {}, "a name stands for one value: rename the one inside and its readers");
    return std::nullopt;
}

// Of the model itself; what a body computes for nothing is not told.
Status ModelImporter::noteUnread() {
    if (!m_prefix.empty())
        return {};
    std::vector<bool> needed(m_order.size(), false);
    for (const auto& result : m_graph.output())
        if (const Name* known = find(result.name()); known != nullptr && known->place >= 0)
            needed[static_cast<std::size_t>(known->place)] = true;
    for (auto index = m_order.rbegin(); index != m_order.rend(); ++index)
        if (needed[static_cast<std::size_t>(*index)])
            for (const int producer : producersOf(*index))
                needed[static_cast<std::size_t>(producer)] = true;
    for (std::size_t index = 0; index < needed.size(); ++index)
        if (!needed[index])
            m_run.out.unread.push_back(nodeName(static_cast<int>(index)));
    return {};
}

// Walks backwards over nodes that never became ready until one comes up again.
Diag ModelImporter::cycle(const std::vector<std::size_t>& waiting) const {
    const auto waits = [&](int node) { return waiting[static_cast<std::size_t>(node)] > 0; };
    int at = 0;
    while (!waits(at))
        ++at;
    std::vector<int> path;
    while (std::find(path.begin(), path.end(), at) == path.end()) {
        path.push_back(at);
        const auto producers = producersOf(at);
        at = *std::find_if(producers.begin(), producers.end(), waits);
    }
    std::vector<int> nodes(std::find(path.begin(), path.end(), at), path.end());
    std::reverse(nodes.begin(), nodes.end());
    for (const int node : nodes)
        if (auto hidden = hidesOuter(node))
            return inNode(node, std::move(*hidden));
    constexpr std::size_t mostShown = 8;
    std::string text;
    for (std::size_t i = 0; i < nodes.size() && i < mostShown; ++i)
        text += nodeName(nodes[i]) + " -> ";
    if (nodes.size() > mostShown)
        text += fmt::format("({} more) -> ", nodes.size() - mostShown);
    text += nodeName(nodes.front());
    return inNode(nodes.front(), makeDiag(DiagCode::OnnxCycle, "the graph has a cycle: " + text, {},
                                          "an operator may not depend on its own result"));
}

} // namespace fw
