#include "fusion/partition.h"

#include "strategy/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

class Partitioner {
public:
    Partitioner(const Graph& graph, const FusionPlan& plan)
        : m_graph(graph), m_plan(plan), m_count(plan.groups.size()), m_owner(m_count),
          m_depth(m_count), m_reads(m_count), m_parent(m_count), m_follow(m_count) {
        for (std::size_t g = 0; g < m_count; ++g)
            m_parent[g] = g;
    }

    Partition run(std::size_t joins) {
        findEdges();
        findOwners();
        joinLevels();
        joinRegions(joins);
        return describe();
    }

private:
    void findEdges() {
        for (std::size_t g = 0; g < m_count; ++g) {
            std::set<std::size_t> from;
            for (const ValueRef& input : m_plan.groups[g].inputs)
                if (const auto producer = m_plan.groupOf.find(input.node);
                    producer != m_plan.groupOf.end())
                    from.insert(static_cast<std::size_t>(producer->second));
            m_reads[g].assign(from.begin(), from.end());
        }
    }

    // A view belongs to what it looks at, one of an input or a constant to who reads it.
    void findOwners() {
        std::vector<std::size_t> open;
        for (std::size_t g = 0; g < m_count; ++g) {
            const Group& group = m_plan.groups[g];
            const Library* library = group.by ? group.by->library() : nullptr;
            if (group.isOpaque())
                m_owner[g] = group.computedBy();
            else if (!group.isView())
                m_owner[g] = library != nullptr ? library->name() : std::string();
            else if (!m_reads[g].empty())
                m_owner[g] = m_owner[m_reads[g].front()];
            else
                open.push_back(g);
        }
        std::map<std::size_t, std::size_t> firstReader;
        for (std::size_t g = m_count; g-- > 0;)
            for (const std::size_t from : m_reads[g])
                firstReader[from] = g;
        for (auto view = open.rbegin(); view != open.rend(); ++view)
            if (const auto reader = firstReader.find(*view); reader != firstReader.end())
                m_owner[*view] = m_owner[reader->second];
    }

    std::size_t root(std::size_t g) {
        while (m_parent[g] != g)
            g = m_parent[g] = m_parent[m_parent[g]];
        return g;
    }
    void unite(std::size_t a, std::size_t b) {
        a = root(a), b = root(b);
        m_parent[std::max(a, b)] = std::min(a, b);
    }

    // The depth grows where the owner changes, so a way that leaves a level does not return to it.
    void joinLevels() {
        for (std::size_t g = 0; g < m_count; ++g)
            for (const std::size_t from : m_reads[g])
                m_depth[g] =
                    std::max(m_depth[g], m_depth[from] + (m_owner[from] != m_owner[g] ? 1 : 0));
        for (std::size_t g = 0; g < m_count; ++g)
            for (const std::size_t from : m_reads[g])
                if (m_owner[from] == m_owner[g] && m_depth[from] == m_depth[g])
                    unite(from, g);
    }

    // Regions of one owner that touch are one unless another way leads from the first to the
    // second.
    void joinRegions(std::size_t joins) {
        std::map<std::size_t, std::size_t> deepest; // of a region
        for (std::size_t g = 0; g < m_count; ++g) {
            std::size_t& depth = deepest[root(g)];
            depth = std::max(depth, m_depth[g]);
            for (const std::size_t from : m_reads[g])
                if (root(from) != root(g))
                    m_follow[root(from)].insert(root(g));
        }
        for (std::size_t g = 0; g < m_count; ++g)
            for (const std::size_t from : m_reads[g]) {
                const std::size_t a = root(from), b = root(g);
                if (a == b || m_owner[a] != m_owner[b] || leadsAround(a, b, deepest[b], joins))
                    continue;
                unite(a, b);
                const std::size_t one = root(a), other = one == a ? b : a;
                deepest[one] = std::max(deepest[a], deepest[b]);
                m_depth[one] = std::min(m_depth[a], m_depth[b]);
                m_follow[one].merge(m_follow[other]);
            }
    }

    bool leadsAround(std::size_t a, std::size_t b, std::size_t depth, std::size_t& steps) {
        std::set<std::size_t> seen;
        std::vector<std::size_t> open;
        const auto follow = [&](std::size_t region, bool first) {
            for (const std::size_t written : m_follow[region]) {
                const std::size_t next = root(written);
                if (next == region || (first && next == b) || m_depth[next] > depth)
                    continue;
                if (next == b)
                    return true;
                if (seen.insert(next).second)
                    open.push_back(next);
            }
            return false;
        };
        if (follow(a, true))
            return true;
        while (!open.empty()) {
            if (steps == 0)
                return true;
            --steps;
            const std::size_t next = open.back();
            open.pop_back();
            if (follow(next, false))
                return true;
        }
        return false;
    }

    Partition describe() {
        Partition out;
        out.regionOf.resize(m_count);
        std::map<std::size_t, int> numbers;
        std::map<std::string, int> ofOwner;
        for (std::size_t g = 0; g < m_count; ++g) {
            const auto [place, isNew] =
                numbers.emplace(root(g), static_cast<int>(out.regions.size()));
            if (isNew) {
                const std::string name = m_owner[g].empty() ? "own" : m_owner[g];
                out.regions.push_back(
                    {fmt::format("{}_{}", name, ofOwner[name]++), m_owner[g], {}, {}, {}});
            }
            out.regionOf[g] = place->second;
            out.regions[static_cast<std::size_t>(place->second)].groups.push_back(
                static_cast<int>(g));
        }
        for (std::size_t r = 0; r < out.regions.size(); ++r)
            addBorder(static_cast<int>(r), out);
        return out;
    }

    int regionOf(const Partition& partition, NodeId node) const {
        const auto group = m_plan.groupOf.find(node);
        return group == m_plan.groupOf.end()
                   ? -1
                   : partition.regionOf[static_cast<std::size_t>(group->second)];
    }

    void addBorder(int number, Partition& out) const {
        Region& region = out.regions[static_cast<std::size_t>(number)];
        std::set<ValueRef> read;
        for (const int g : region.groups) {
            const Group& group = m_plan.groups[static_cast<std::size_t>(g)];
            for (const ValueRef& input : group.inputs)
                if (m_graph.constant(input) == nullptr && regionOf(out, input.node) != number &&
                    read.insert(input).second) {
                    region.inputs.push_back(input);
                    if (regionOf(out, input.node) >= 0)
                        out.bytesCrossing += bytesOf(m_graph, input);
                }
            for (const ValueRef& output : group.outputs) {
                const auto uses = m_graph.uses(output);
                if (m_graph.isResult(output) ||
                    std::any_of(uses.begin(), uses.end(),
                                [&](const Use& use) { return regionOf(out, use.node) != number; }))
                    region.outputs.push_back(output);
            }
        }
    }

    const Graph& m_graph;
    const FusionPlan& m_plan;
    const std::size_t m_count;
    std::vector<std::string> m_owner; // by group
    // How often the owner changed before it; of a region's first group, the least of the region.
    std::vector<std::size_t> m_depth;
    std::vector<std::vector<std::size_t>> m_reads; // groups that it reads
    std::vector<std::size_t> m_parent;             // towards the first group of its region
    std::vector<std::set<std::size_t>> m_follow;   // of a region's first group: who reads it
};

} // namespace

Partition partitionOf(const Graph& graph, const FusionPlan& plan, std::size_t joins) {
    return Partitioner(graph, plan).run(joins);
}

} // namespace fw
