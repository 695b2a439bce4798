#include "snapshot/plan_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace fw::snapshot {

namespace {

using Keys = std::vector<std::vector<std::string>>; // of the nodes of each group

std::map<std::string, int> nameCounts(const FuseDocument& plan) {
    std::map<std::string, int> out;
    for (const GroupRecord& group : plan.groups)
        for (const std::string& name : group.nodes)
            ++out[name];
    return out;
}

Keys keysOf(const FuseDocument& plan, const std::map<std::string, int>& mine,
            const std::map<std::string, int>& others) {
    const auto unique = [](const std::map<std::string, int>& counts, const std::string& name) {
        const auto found = counts.find(name);
        return found == counts.end() || found->second <= 1;
    };
    Keys out;
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

// Groups of both plans, joined while they share a node: union-find over before, then after.
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

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 4;
    std::string out;
    const std::size_t shown = names.size() > most ? most - 1 : names.size();
    for (std::size_t i = 0; i < shown; ++i)
        out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    if (shown < names.size())
        out += fmt::format(" and {} more", names.size() - shown);
    return out;
}

std::string withImplementation(const GroupRecord& group) {
    return group.implementation.empty() ? group.name
                                        : fmt::format("{} ({})", group.name, group.implementation);
}

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

class Comparison {
public:
    Comparison(const FuseDocument& before, const FuseDocument& after)
        : m_before(before), m_after(after) {}

    DiffDocument run() {
        DiffDocument out;
        out.before = m_before.target;
        out.after = m_after.target;
        const auto names = nameCounts(m_before);
        const auto newNames = nameCounts(m_after);
        m_keysBefore = keysOf(m_before, names, newNames);
        m_keysAfter = keysOf(m_after, newNames, names);
        const std::size_t first = m_before.groups.size();
        Clusters clusters(first + m_after.groups.size());
        std::map<std::string, std::size_t> holder;
        for (std::size_t g = 0; g < first; ++g)
            for (const std::string& key : m_keysBefore[g])
                holder.emplace(key, g);
        for (std::size_t g = 0; g < m_after.groups.size(); ++g)
            for (const std::string& key : m_keysAfter[g])
                if (const auto found = holder.find(key); found != holder.end())
                    clusters.join(found->second, first + g);
        if (m_before.model == m_after.model)
            joinByOrigin(clusters);
        out.estBeforeUs = totalOf(m_before);
        out.estAfterUs = totalOf(m_after);
        out.otherSizes = otherSizes();
        std::map<std::size_t, Sides> sides;
        std::vector<std::size_t> order; // the later plan's groups first, what went away last
        const auto note = [&](std::size_t member) -> Sides& {
            const std::size_t root = clusters.find(member);
            const auto [found, fresh] = sides.try_emplace(root);
            if (fresh)
                order.push_back(root);
            return found->second;
        };
        for (std::size_t g = 0; g < m_after.groups.size(); ++g)
            note(first + g).after.push_back(g);
        for (std::size_t g = 0; g < first; ++g)
            note(g).before.push_back(g);
        for (const std::size_t root : order)
            tell(sides[root], out);
        return out;
    }

private:
    struct Sides {
        std::vector<std::size_t> before, after;
    };

    // A node that a rule made has the name of one of those that it stands for; the others are told
    // by their origins. What is the same in both plans takes no part: one imported node may stand
    // in several groups.
    void joinByOrigin(Clusters& clusters) {
        const std::size_t first = m_before.groups.size();
        std::map<std::size_t, Sides> sides;
        for (std::size_t g = 0; g < first; ++g)
            sides[clusters.find(g)].before.push_back(g);
        for (std::size_t g = 0; g < m_after.groups.size(); ++g)
            sides[clusters.find(first + g)].after.push_back(g);
        std::map<NodeId, std::size_t> holder;
        for (const auto& [root, one] : sides) {
            if (one.before.size() == 1 && one.after.size() == 1 &&
                sameOperators(one.before.front(), one.after.front()))
                continue;
            for (const std::size_t g : one.before)
                for (const NodeId origin : m_before.groups[g].origins)
                    clusters.join(holder.emplace(origin, g).first->second, g);
            for (const std::size_t g : one.after)
                for (const NodeId origin : m_after.groups[g].origins)
                    clusters.join(holder.emplace(origin, first + g).first->second, first + g);
        }
    }

    static std::optional<double> totalOf(const FuseDocument& plan) {
        std::optional<double> out;
        for (const GroupRecord& group : plan.groups)
            if (group.estUs)
                out = out.value_or(0) + *group.estUs;
        return out;
    }

    // Values of one name and two types: the sizes are others, or their names are.
    std::string otherSizes() const {
        std::map<std::string, std::string> types;
        for (const GroupRecord& group : m_before.groups)
            for (const TensorRecord& output : group.outputs)
                types.emplace(output.name, output.type);
        for (const GroupRecord& group : m_after.groups)
            for (const TensorRecord& output : group.outputs)
                if (const auto was = types.find(output.name);
                    m_before.model == m_after.model && was != types.end() &&
                    was->second != output.type && sizesOf(was->second) != sizesOf(output.type))
                    return fmt::format("{} is {} and was {}", output.name, output.type,
                                       was->second);
        return {};
    }

    // "[1, 64]" of "f32[1, 64]"; of another rank it is another value.
    static std::string sizesOf(const std::string& type) {
        const std::size_t bracket = type.find('[');
        return bracket == std::string::npos ? std::string() : type.substr(bracket);
    }

    bool sameOperators(std::size_t before, std::size_t after) const {
        const auto sorted = [](std::vector<std::string> keys) {
            std::sort(keys.begin(), keys.end());
            return keys;
        };
        return sorted(m_keysBefore[before]) == sorted(m_keysAfter[after]) &&
               operatorWords(m_before.groups[before]) == operatorWords(m_after.groups[after]);
    }

    void tell(const Sides& sides, DiffDocument& out) const {
        ChangeRecord change;
        std::vector<std::string> from, to;
        const auto fill = [](const FuseDocument& plan, const std::vector<std::size_t>& groups,
                             std::vector<std::string>& names, std::vector<int>& ids,
                             std::vector<std::string>& texts, std::optional<double>& total) {
            total = 0;
            for (const std::size_t g : groups) {
                const GroupRecord& group = plan.groups[g];
                names.push_back(group.name);
                ids.push_back(group.id);
                texts.push_back(withImplementation(group));
                if (total && group.estUs)
                    *total += *group.estUs;
                else
                    total.reset();
            }
        };
        fill(m_before, sides.before, change.before, change.beforeIds, from, change.estBeforeUs);
        fill(m_after, sides.after, change.after, change.afterIds, to, change.estAfterUs);
        const bool gone = sides.after.empty();
        for (const std::size_t g : gone ? sides.before : sides.after) {
            const GroupRecord& group = (gone ? m_before : m_after).groups[g];
            change.nodes.insert(change.nodes.end(), group.nodeIds.begin(), group.nodeIds.end());
        }
        change.name = gone ? change.before.front() : change.after.front();
        if (gone) {
            change.kind = "removed";
            change.sentence = listed(from) + " is gone";
            out.removed.push_back(std::move(change));
        } else if (sides.before.empty()) {
            change.kind = "added";
            change.sentence = listed(to) + " is new";
            out.added.push_back(std::move(change));
        } else if (changed(sides, change, from, to)) {
            out.changed.push_back(std::move(change));
        }
    }

    bool changed(const Sides& sides, ChangeRecord& change, const std::vector<std::string>& from,
                 const std::vector<std::string>& to) const {
        if (sides.before.size() == 1 && sides.after.size() == 1) {
            const GroupRecord& old = m_before.groups[sides.before.front()];
            const GroupRecord& now = m_after.groups[sides.after.front()];
            // A rule may leave another operator under the name of a node.
            if (!sameOperators(sides.before.front(), sides.after.front())) {
                change.kind = "nodes";
                change.sentence =
                    fmt::format("{} became {}: its operators differ", from.front(), to.front());
                return true;
            }
            if (old.implementation == now.implementation)
                return false;
            change.kind = "implementation";
            change.sentence =
                fmt::format("{}: {} → {}", now.name, old.implementation, now.implementation);
        } else if (sides.after.size() == 1) {
            change.kind = "merged";
            change.sentence = fmt::format("{} merged into {}", listed(from), to.front());
        } else if (sides.before.size() == 1) {
            change.kind = "split";
            change.sentence = fmt::format("{} was split into {}", from.front(), listed(to));
        } else {
            change.kind = "regrouped";
            change.sentence = fmt::format("{} became {}", listed(from), listed(to));
        }
        return true;
    }

    const FuseDocument& m_before;
    const FuseDocument& m_after;
    Keys m_keysBefore, m_keysAfter;
};

} // namespace

bool sameGroups(const FuseDocument& one, const FuseDocument& other) {
    const auto same = [](const GroupRecord& a, const GroupRecord& b) {
        return a.id == b.id && a.name == b.name && a.nodes == b.nodes &&
               a.implementation == b.implementation && a.schedule == b.schedule &&
               a.inputs == b.inputs && a.outputs == b.outputs;
    };
    return one.model == other.model && one.target == other.target &&
           std::equal(one.groups.begin(), one.groups.end(), other.groups.begin(),
                      other.groups.end(), same);
}

DiffDocument comparePlans(const FuseDocument& before, const FuseDocument& after) {
    return Comparison(before, after).run();
}

DiffDocument compareSides(const DiffSideDocument& before, const DiffSideDocument& after) {
    if (before.graphs)
        return *before.graphs;
    DiffDocument out = comparePlans(before.plan, after.plan);
    out.before = before.label;
    out.after = after.label;
    return out;
}

} // namespace fw::snapshot
