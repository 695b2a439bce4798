#include "snapshot/group_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace fw::snapshot {

namespace {

std::map<std::string, int> nameCounts(const FuseDocument& plan) {
    std::map<std::string, int> out;
    for (const GroupRecord& group : plan.groups)
        for (const std::string& name : group.nodes)
            ++out[name];
    return out;
}

std::vector<std::vector<std::string>> keysOf(const FuseDocument& plan,
                                             const std::map<std::string, int>& mine,
                                             const std::map<std::string, int>& others) {
    const auto unique = [](const std::map<std::string, int>& counts, const std::string& name) {
        const auto found = counts.find(name);
        return found == counts.end() || found->second <= 1;
    };
    std::vector<std::vector<std::string>> out;
    for (const GroupRecord& group : plan.groups) {
        std::vector<std::string>& keys = out.emplace_back();
        for (std::size_t i = 0; i < group.nodes.size(); ++i) {
            const std::string& name = group.nodes[i];
            const bool byName = !name.empty() && unique(mine, name) && unique(others, name);
            keys.push_back(
                byName || i >= group.nodeIds.size() ? name : fmt::format("#{}", group.nodeIds[i]));
        }
    }
    return out;
}

// Groups of both plans, joined while they belong together: union-find over before, then after.
class Clusters {
public:
    explicit Clusters(std::size_t count) : m_parent(count) {
        std::iota(m_parent.begin(), m_parent.end(), std::size_t(0));
    }
    std::size_t find(std::size_t i) {
        while (m_parent[i] != i)
            i = m_parent[i] = m_parent[m_parent[i]];
        return i;
    }
    void join(std::size_t a, std::size_t b) { m_parent[find(a)] = find(b); }

private:
    std::vector<std::size_t> m_parent;
};

// The name of a group lists its operators, then its number. In any order: of equal nodes another
// order is no other group.
std::vector<std::string> operatorWords(const GroupRecord& group) {
    std::string name = group.name;
    if (const std::string number = fmt::format("_{}", group.id); name.ends_with(number))
        name.resize(name.size() - number.size());
    std::vector<std::string> out(1);
    for (const char c : name)
        if (c == '_')
            out.emplace_back();
        else
            out.back() += c;
    std::sort(out.begin(), out.end());
    return out;
}

// In the order in which a member is met first.
std::vector<GroupPair> pairsOf(Clusters& clusters, std::size_t before, std::size_t after) {
    std::vector<GroupPair> out;
    std::map<std::size_t, std::size_t> places;
    const auto of = [&](std::size_t member) -> GroupPair& {
        const auto [found, fresh] = places.try_emplace(clusters.find(member), out.size());
        if (fresh)
            out.emplace_back();
        return out[found->second];
    };
    for (std::size_t g = 0; g < after; ++g)
        of(before + g).after.push_back(g);
    for (std::size_t g = 0; g < before; ++g)
        of(g).before.push_back(g);
    return out;
}

} // namespace

GroupPairs::GroupPairs(const FuseDocument& before, const FuseDocument& after)
    : m_before(before), m_after(after) {
    const auto names = nameCounts(before);
    const auto newNames = nameCounts(after);
    m_keysBefore = keysOf(before, names, newNames);
    m_keysAfter = keysOf(after, newNames, names);
    const std::size_t first = before.groups.size();
    Clusters clusters(first + after.groups.size());
    std::map<std::string, std::size_t> holder;
    for (std::size_t g = 0; g < first; ++g)
        for (const std::string& key : m_keysBefore[g])
            holder.emplace(key, g);
    for (std::size_t g = 0; g < after.groups.size(); ++g)
        for (const std::string& key : m_keysAfter[g])
            if (const auto found = holder.find(key); found != holder.end())
                clusters.join(found->second, first + g);
    m_pairs = pairsOf(clusters, first, after.groups.size());
    if (before.model != after.model)
        return;
    // A node that a rule made has the name of one of those that it stands for; the others are told
    // by their origins. What is the same in both plans takes no part: one imported node may stand
    // in several groups.
    std::map<NodeId, std::size_t> origins;
    for (const GroupPair& one : m_pairs) {
        if (one.before.size() == 1 && one.after.size() == 1 &&
            sameOperators(one.before.front(), one.after.front()))
            continue;
        for (const std::size_t g : one.before)
            for (const NodeId origin : before.groups[g].origins)
                clusters.join(origins.emplace(origin, g).first->second, g);
        for (const std::size_t g : one.after)
            for (const NodeId origin : after.groups[g].origins)
                clusters.join(origins.emplace(origin, first + g).first->second, first + g);
    }
    m_pairs = pairsOf(clusters, first, after.groups.size());
}

bool GroupPairs::sameOperators(std::size_t before, std::size_t after) const {
    const auto sorted = [](std::vector<std::string> keys) {
        std::sort(keys.begin(), keys.end());
        return keys;
    };
    return sorted(m_keysBefore[before]) == sorted(m_keysAfter[after]) &&
           operatorWords(m_before.groups[before]) == operatorWords(m_after.groups[after]);
}

} // namespace fw::snapshot
