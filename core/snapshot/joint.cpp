#include "snapshot/joint.h"

#include "snapshot/block_tree.h"
#include "snapshot/time_text.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace fw::snapshot {

namespace {

using Places = std::vector<std::size_t>;
using Mark = JointNode::Mark;
constexpr std::size_t noPlace = std::numeric_limits<std::size_t>::max();
constexpr int noGroup = -1, anyGroup = -2; // anyGroup: the state does not say

bool isSame(const InputRef& a, const InputRef& b) {
    return a.node == b.node && a.output == b.output;
}
bool has(const std::vector<InputRef>& all, const InputRef& one) {
    return std::any_of(all.begin(), all.end(),
                       [&](const InputRef& other) { return isSame(one, other); });
}
bool isSame(const std::vector<InputRef>& a, const std::vector<InputRef>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const InputRef& x, const InputRef& y) { return isSame(x, y); });
}
bool typesDiffer(const NodeRecord& a, const NodeRecord& b) {
    return !std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                       [](const auto& x, const auto& y) { return x.type == y.type; });
}

class Joining {
public:
    explicit Joining(std::span<const JointState> states)
        : m_states(states), m_recordOf(states.size()), m_jointOf(states.size()),
          m_groups(states.size()) {
        for (std::size_t s = 0; s < states.size(); ++s) {
            add(s);
            for (const GroupLabel& group : graph(s).groups)
                m_groups[s].emplace(group.id, &group);
        }
    }

    JointGraph take() {
        m_out.states = m_states.size();
        m_out.graph.stage = m_states.back().graph->stage;
        m_out.graph.name = m_states.back().graph->name;
        addRecords();
        addOperands();
        addClasses();
        addResults();
        addGroups();
        addBetween();
        return std::move(m_out);
    }

private:
    const GraphDocument& graph(std::size_t state) const { return *m_states[state].graph; }
    bool isOfOneImport(std::size_t a, std::size_t b) const {
        return graph(a).imported == graph(b).imported;
    }
    const NodeRecord& record(std::size_t state, std::size_t joint) const {
        return graph(state).nodes[m_recordOf[state][joint]];
    }

    // --- who lives on

    // In front of `state` the last one that has the node; of those of one import, or of any.
    enum class Import : std::uint8_t { Same, Any };
    std::size_t latestOf(std::size_t joint, std::size_t state, Import import) const {
        for (std::size_t s = state; s-- > 0;)
            if (m_recordOf[s][joint] != noPlace &&
                (import == Import::Any || isOfOneImport(s, state)))
                return s;
        return noPlace;
    }

    void add(std::size_t state) {
        const std::vector<NodeRecord>& nodes = graph(state).nodes;
        for (std::vector<std::size_t>& records : m_recordOf)
            records.resize(m_count, noPlace);
        m_placeOf.assign(nodes.size(), noPlace);
        m_jointOf[state].clear();
        if (state > 0) {
            pairByOrigins(state, true);
            pairByOrigins(state, false);
            pairByName(state);
            pairByStructure(state);
        }
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (m_placeOf[i] == noPlace) {
                for (std::vector<std::size_t>& records : m_recordOf)
                    records.push_back(noPlace);
                bind(state, i, m_count++);
            }
    }

    void bind(std::size_t state, std::size_t node, std::size_t joint) {
        m_placeOf[node] = joint;
        m_recordOf[state][joint] = node;
        m_jointOf[state].emplace(graph(state).nodes[node].id, joint);
    }

    // Those that are left on both sides, by equal keys, in their order. A key that is empty pairs
    // nothing.
    template <class Key>
    void pair(std::size_t state, const auto& keyOfJoint, const auto& keyOfNode) {
        std::map<Key, Places> waiting; // last first
        for (std::size_t j = m_count; j-- > 0;)
            if (m_recordOf[state][j] == noPlace)
                if (std::optional<Key> key = keyOfJoint(j))
                    waiting[std::move(*key)].push_back(j);
        for (std::size_t i = 0; i < m_placeOf.size() && !waiting.empty(); ++i) {
            if (m_placeOf[i] != noPlace)
                continue;
            const std::optional<Key> key = keyOfNode(i);
            const auto found = key ? waiting.find(*key) : waiting.end();
            if (found == waiting.end() || found->second.empty())
                continue;
            bind(state, i, found->second.back());
            found->second.pop_back();
        }
    }

    void pairByOrigins(std::size_t state, bool byName) {
        using Key = std::tuple<std::string, std::vector<NodeId>, std::string>;
        const auto keyOf = [&](std::size_t of, std::size_t node) -> std::optional<Key> {
            const NodeRecord& one = graph(of).nodes[node];
            const std::vector<NodeId> origins =
                graph(of).stage == "imported" ? std::vector<NodeId>{one.id} : one.origins;
            if (origins.empty() && !byName)
                return {}; // what stands for nothing is the same only by its name
            return Key{one.op, origins, byName ? one.name : std::string()};
        };
        pair<Key>(
            state,
            [&](std::size_t j) -> std::optional<Key> {
                const std::size_t of = latestOf(j, state, Import::Same);
                return of == noPlace ? std::nullopt : keyOf(of, m_recordOf[of][j]);
            },
            [&](std::size_t i) { return keyOf(state, i); });
    }

    // Of a node that no state of the same import has.
    std::size_t foreignOf(std::size_t joint, std::size_t state) const {
        return latestOf(joint, state, Import::Same) == noPlace ? latestOf(joint, state, Import::Any)
                                                               : noPlace;
    }

    void pairByName(std::size_t state) {
        using Key = std::pair<std::string, std::string>;
        const auto keyOf = [](const NodeRecord& one) -> std::optional<Key> {
            if (one.name.empty())
                return {};
            return Key{one.op, one.name};
        };
        pair<Key>(
            state,
            [&](std::size_t j) -> std::optional<Key> {
                const std::size_t of = foreignOf(j, state);
                return of == noPlace ? std::nullopt : keyOf(record(of, j));
            },
            [&](std::size_t i) { return keyOf(graph(state).nodes[i]); });
    }

    // Operator, types of results, and operands: as places in the joint graph, constants as one.
    using Structure =
        std::tuple<std::string, std::vector<std::string>, std::vector<std::pair<std::size_t, int>>>;
    std::optional<Structure> structureOf(std::size_t state, const NodeRecord& one,
                                         const std::unordered_map<NodeId, bool>& constants) const {
        if (one.constant)
            return {}; // goes with who reads it
        Structure out;
        std::get<0>(out) = one.op;
        for (const TensorRecord& output : one.outputs)
            std::get<1>(out).push_back(output.type);
        for (const InputRef& input : one.inputs) {
            const auto known = constants.find(input.node);
            const auto joint = m_jointOf[state].find(input.node);
            if (known != constants.end() && known->second)
                std::get<2>(out).emplace_back(noPlace, 0);
            else if (joint == m_jointOf[state].end())
                return {};
            else
                std::get<2>(out).emplace_back(joint->second, input.output);
        }
        return out;
    }

    void pairByStructure(std::size_t state) {
        std::vector<std::unordered_map<NodeId, bool>> constants(state + 1);
        const auto constantsOf = [&](std::size_t of) -> const auto& {
            if (constants[of].empty())
                for (const NodeRecord& node : graph(of).nodes)
                    constants[of].emplace(node.id, node.constant);
            return constants[of];
        };
        std::map<Structure, Places> waiting; // last first
        for (std::size_t j = m_count; j-- > 0;)
            if (const std::size_t of = foreignOf(j, state);
                of != noPlace && m_recordOf[state][j] == noPlace)
                if (auto key = structureOf(of, record(of, j), constantsOf(of)))
                    waiting[std::move(*key)].push_back(j);
        if (waiting.empty())
            return;
        const std::vector<NodeRecord>& nodes = graph(state).nodes;
        std::unordered_map<NodeId, std::size_t> at;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            at.emplace(nodes[i].id, i);
        for (std::size_t i = 0; i < nodes.size(); ++i) { // operands stand in front
            if (m_placeOf[i] != noPlace)
                continue;
            const auto key = structureOf(state, nodes[i], constantsOf(state));
            const auto found = key ? waiting.find(*key) : waiting.end();
            if (found == waiting.end() || found->second.empty())
                continue;
            const std::size_t joint = found->second.back();
            found->second.pop_back();
            bind(state, i, joint);
            const std::size_t of = foreignOf(joint, state);
            pairConstants(state, nodes[i], at, of, record(of, joint));
        }
    }

    void pairConstants(std::size_t state, const NodeRecord& node,
                       const std::unordered_map<NodeId, std::size_t>& at, std::size_t of,
                       const NodeRecord& before) {
        for (std::size_t k = 0; k < std::min(node.inputs.size(), before.inputs.size()); ++k) {
            const auto now = at.find(node.inputs[k].node);
            const auto then = m_jointOf[of].find(before.inputs[k].node);
            if (now == at.end() || then == m_jointOf[of].end())
                continue;
            const NodeRecord& one = graph(state).nodes[now->second];
            const NodeRecord& other = record(of, then->second);
            if (one.constant && other.constant && m_placeOf[now->second] == noPlace &&
                m_recordOf[state][then->second] == noPlace && !typesDiffer(one, other))
                bind(state, now->second, then->second);
        }
    }

    // --- what is said of them

    void addRecords() {
        const std::size_t states = m_states.size();
        m_out.nodes.resize(m_count);
        for (std::size_t j = 0; j < m_count; ++j) {
            JointNode& node = m_out.nodes[j];
            node.ids.assign(states, noNode);
            node.hidden.resize(states);
            std::size_t last = noPlace;
            for (std::size_t s = 0; s < states; ++s)
                if (m_recordOf[s][j] != noPlace) {
                    node.ids[s] = record(s, j).id;
                    last = s;
                }
            NodeRecord& shown = m_out.graph.nodes.emplace_back(record(last, j));
            shown.id = static_cast<NodeId>(j);
            shown.group = noGroup;
            for (std::size_t s = 0; s < last; ++s)
                if (node.isIn(s))
                    if (const NodeRecord& one = record(s, j); one.name != shown.name ||
                                                              one.attributes != shown.attributes ||
                                                              typesDiffer(one, shown))
                        node.others.emplace(s, one);
        }
    }

    std::vector<InputRef> operandsOf(std::size_t state, std::size_t joint) const {
        std::vector<InputRef> out;
        for (InputRef input : record(state, joint).inputs)
            if (const auto found = m_jointOf[state].find(input.node);
                found != m_jointOf[state].end()) {
                input.node = static_cast<NodeId>(found->second);
                out.push_back(std::move(input));
            }
        return out;
    }

    Mark markOf(const JointNode& node, std::size_t joint, std::size_t state,
                const std::vector<std::vector<InputRef>>& operands) const {
        const bool now = node.isIn(state), before = state > 0 && node.isIn(state - 1);
        if (state == 0)
            return now ? Mark::Kept : Mark::Absent;
        if (!now || !before)
            return now ? Mark::Created : before ? Mark::Erased : Mark::Absent;
        const NodeRecord &one = record(state - 1, joint), &other = record(state, joint);
        return isSame(operands[state - 1], operands[state]) && one.attributes == other.attributes &&
                       !typesDiffer(one, other)
                   ? Mark::Kept
                   : Mark::Changed;
    }

    void addOperands() {
        const std::size_t states = m_states.size();
        for (std::size_t j = 0; j < m_count; ++j) {
            JointNode& node = m_out.nodes[j];
            std::vector<std::vector<InputRef>> operands(states);
            std::vector<InputRef>& all = m_out.graph.nodes[j].inputs;
            all.clear();
            for (std::size_t s = states; s-- > 0;) {
                if (!node.isIn(s))
                    continue;
                operands[s] = operandsOf(s, j);
                const std::vector<InputRef> known = all;
                for (const InputRef& one : operands[s])
                    if (known.empty() || !has(known, one))
                        all.push_back(one);
            }
            for (std::size_t s = 0; s < states; ++s) {
                node.marks.push_back(markOf(node, j, s, operands));
                for (std::size_t k = 0; node.isIn(s) && k < all.size(); ++k)
                    if (!has(operands[s], all[k]))
                        node.hidden[s].push_back(k);
            }
        }
    }

    // What any state says of an edge that it has.
    void addClasses() {
        std::set<std::pair<NodeId, int>> known;
        for (std::size_t s = m_states.size(); s-- > 0;)
            for (const EdgeRecord& edge : graph(s).edges) {
                const auto reader = m_jointOf[s].find(edge.node);
                if (reader == m_jointOf[s].end())
                    continue;
                const auto& inputs = record(s, reader->second).inputs;
                const auto operand = static_cast<std::size_t>(edge.operand);
                if (operand >= inputs.size() || !m_jointOf[s].contains(inputs[operand].node))
                    continue;
                InputRef value = inputs[operand];
                value.node = static_cast<NodeId>(m_jointOf[s].at(value.node));
                const auto& all = m_out.graph.nodes[reader->second].inputs;
                const auto at = std::find_if(all.begin(), all.end(), [&](const InputRef& one) {
                    return isSame(one, value);
                });
                const auto id = static_cast<NodeId>(reader->second);
                const int place = static_cast<int>(at - all.begin());
                if (at != all.end() && known.emplace(id, place).second)
                    m_out.graph.edges.push_back({id, place, edge.carries});
            }
    }

    void addResults() {
        for (std::size_t s = 0; s < m_states.size(); ++s)
            for (InputRef result : graph(s).results) {
                const auto maker = m_jointOf[s].find(result.node);
                if (maker == m_jointOf[s].end())
                    continue;
                result.node = static_cast<NodeId>(maker->second);
                std::vector<InputRef>& known = m_out.graph.results;
                const auto same = std::find(known.begin(), known.end(), result);
                const auto place = static_cast<std::size_t>(same - known.begin());
                if (same == known.end()) {
                    known.push_back(std::move(result));
                    m_out.results.emplace_back(m_states.size(), false);
                }
                m_out.results[place][s] = true;
            }
    }

    // --- groups: what all states that have some put together

    std::vector<int> groupsOf(std::size_t joint) const {
        std::vector<int> out(m_states.size(), anyGroup);
        for (std::size_t s = 0; s < m_states.size(); ++s)
            if (!graph(s).groups.empty() && m_recordOf[s][joint] != noPlace)
                out[s] = record(s, joint).group;
        return out;
    }

    void addGroups() {
        std::map<std::vector<int>, int> known;
        // Those that every state knows first: others join them.
        for (const bool complete : {true, false})
            for (std::size_t j = 0; j < m_count; ++j) {
                const std::vector<int> of = groupsOf(j);
                if (std::none_of(of.begin(), of.end(), [](int group) { return group >= 0; }) ||
                    isComplete(of) != complete)
                    continue;
                auto found = known.find(of);
                if (found == known.end() && !complete)
                    found = std::find_if(known.begin(), known.end(),
                                         [&](const auto& one) { return fits(of, one.first); });
                if (found == known.end()) {
                    found = known.emplace(of, static_cast<int>(known.size())).first;
                    addGroup(of);
                }
                m_out.graph.nodes[j].group = found->second;
            }
    }

    // What no state with groups has stands in a group if it lies on a way from it back into it:
    // beside it, the two would go round each other.
    void addBetween() {
        std::vector<char> free(m_count, 0);
        std::vector<Places> readers(m_count);
        for (std::size_t j = 0; j < m_count; ++j) {
            const NodeRecord& node = m_out.graph.nodes[j];
            const std::vector<int> of = groupsOf(j);
            free[j] = !node.constant && !isInput(node) && node.group == noGroup &&
                      std::all_of(of.begin(), of.end(), [](int one) { return one == anyGroup; });
            for (const InputRef& input : node.inputs)
                readers[static_cast<std::size_t>(input.node)].push_back(j);
        }
        const auto groupAt = [&](std::size_t j) { return m_out.graph.nodes[j].group; };
        std::vector<int> into(m_count, noGroup); // the one group that all readers lead into
        for (std::size_t j = m_count; j-- > 0;)
            for (std::size_t k = 0; free[j] && k < readers[j].size(); ++k) {
                const std::size_t reader = readers[j][k];
                const int group = free[reader] ? into[reader] : groupAt(reader);
                into[j] = k == 0 || into[j] == group ? group : noGroup;
                if (into[j] == noGroup)
                    break;
            }
        std::vector<char> isBetween(m_count, 0);
        for (std::size_t j = 0; j < m_count; ++j)
            for (const InputRef& input : m_out.graph.nodes[j].inputs) {
                const auto from = static_cast<std::size_t>(input.node);
                if (free[j] && into[j] != noGroup &&
                    (groupAt(from) == into[j] || (isBetween[from] && into[from] == into[j])))
                    isBetween[j] = 1;
            }
        for (std::size_t j = 0; j < m_count; ++j)
            if (isBetween[j])
                m_out.graph.nodes[j].group = into[j];
    }

    bool isComplete(const std::vector<int>& of) const {
        for (std::size_t s = 0; s < of.size(); ++s)
            if (of[s] == anyGroup && !graph(s).groups.empty())
                return false;
        return true;
    }

    // All that `of` says is said by `group`, too, and one of it is a group.
    static bool fits(const std::vector<int>& of, const std::vector<int>& group) {
        for (std::size_t s = 0; s < of.size(); ++s)
            if (of[s] != anyGroup && of[s] != group[s])
                return false;
        return true;
    }

    void addGroup(const std::vector<int>& of) {
        GroupLabel& shown = m_out.graph.groups.emplace_back();
        std::vector<JointLabel>& labels = m_out.labels.emplace_back(of.size());
        for (std::size_t s = 0; s < of.size(); ++s) {
            const auto found = m_groups[s].find(of[s]);
            if (found == m_groups[s].end())
                continue;
            shown = *found->second;
            const auto text = m_states[s].groupTexts.find(shown.id);
            labels[s] = {shown.id, shown.name,
                         text != m_states[s].groupTexts.end() ? text->second : estimateText(shown),
                         shown.maker};
        }
        shown.id = static_cast<int>(m_out.graph.groups.size()) - 1;
    }

    std::span<const JointState> m_states;
    std::size_t m_count = 0;
    // By state and place in the joint graph: the place in the state's graph, or noPlace.
    std::vector<std::vector<std::size_t>> m_recordOf;
    std::vector<std::unordered_map<NodeId, std::size_t>> m_jointOf; // by state: of an id
    Places m_placeOf; // of the nodes of the state that is added
    std::vector<std::unordered_map<int, const GroupLabel*>> m_groups; // by state
    JointGraph m_out;
};

} // namespace

bool JointNode::isChanged() const {
    return std::any_of(marks.begin(), marks.end(), [](Mark mark) {
        return mark == Mark::Changed || mark == Mark::Erased || mark == Mark::Created;
    });
}

std::string estimateText(const GroupLabel& group) {
    // Views cost nothing.
    return group.estUs && *group.estUs >= 0.5 ? "≈ " + timeText(*group.estUs) : std::string();
}

JointGraph joined(std::span<const JointState> states) {
    return Joining(states).take();
}

JointGraph joined(std::span<const GraphDocument* const> states) {
    std::vector<JointState> out;
    for (const GraphDocument* graph : states)
        out.push_back({graph});
    return joined(out);
}

} // namespace fw::snapshot
