#include "snapshot/plan_changes.h"

#include "base/hash.h"
#include "snapshot/group_pairs.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw::snapshot {

namespace {

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

class Comparison {
public:
    Comparison(const FuseDocument& before, const FuseDocument& after)
        : m_before(before), m_after(after), m_pairs(before, after) {}

    DiffDocument run(Unchanged unchanged) {
        DiffDocument out;
        out.before = m_before.target;
        out.after = m_after.target;
        out.estBeforeUs = totalOf(m_before);
        out.estAfterUs = totalOf(m_after);
        out.otherSizes = otherSizes();
        for (const GroupPair& pair : m_pairs.all())
            tell(pair, unchanged, out);
        return out;
    }

private:
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

    void tell(const GroupPair& sides, Unchanged unchanged, DiffDocument& out) const {
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
        } else if (unchanged == Unchanged::List) {
            out.same.push_back(std::move(change));
        }
    }

    bool changed(const GroupPair& sides, ChangeRecord& change, const std::vector<std::string>& from,
                 const std::vector<std::string>& to) const {
        if (sides.before.size() == 1 && sides.after.size() == 1) {
            const GroupRecord& old = m_before.groups[sides.before.front()];
            const GroupRecord& now = m_after.groups[sides.after.front()];
            // A rule may leave another operator under the name of a node.
            if (!m_pairs.sameOperators(sides.before.front(), sides.after.front())) {
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
    const GroupPairs m_pairs;
};

} // namespace

std::string planKey(const FuseDocument& plan) {
    std::string all = plan.target + '\n';
    const auto add = [&](std::string_view text) {
        all += fmt::format("{}:{}\n", text.size(), text);
    };
    for (const GroupRecord& group : plan.groups) {
        all += fmt::format("group {}\n", group.id);
        add(group.name);
        add(group.implementation.str());
        add(group.schedule.str());
        for (const std::string& node : group.nodes)
            add(node);
        for (const auto* values : {&group.inputs, &group.outputs})
            for (const TensorRecord& value : *values) {
                add(value.name);
                add(value.type);
            }
    }
    return hashOf(all).hex();
}

DiffDocument comparePlans(const FuseDocument& before, const FuseDocument& after,
                          Unchanged unchanged) {
    return Comparison(before, after).run(unchanged);
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
