#include "snapshot/joint.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace fw::snapshot {

namespace {

using Places = std::vector<std::size_t>;
constexpr std::size_t none = static_cast<std::size_t>(-1);

std::vector<NodeId> originsOf(const GraphDocument& graph, const NodeRecord& node) {
    return graph.stage == "imported" ? std::vector<NodeId>{node.id} : node.origins;
}

class Joining {
public:
    Joining(const GraphDocument& left, const GraphDocument& right)
        : m_left(left), m_right(right), m_rightOf(left.nodes.size(), none),
          m_leftOf(right.nodes.size(), none) {
        pair(true);
        pair(false);
    }

    JointGraph take() {
        addNodes();
        addOperands();
        addResults();
        m_out.graph.stage = m_right.stage;
        m_out.graph.name = m_right.name;
        m_out.graph.groups = m_right.groups;
        return std::move(m_out);
    }

private:
    // Those that are left, by what they stand for, in their order.
    void pair(bool byName) {
        using Key = std::tuple<std::string, std::vector<NodeId>, std::string>;
        const auto keyOf = [&](const GraphDocument& graph, const NodeRecord& node) {
            return Key{node.op, originsOf(graph, node), byName ? node.name : std::string()};
        };
        std::map<Key, Places> waiting; // last first
        for (std::size_t i = m_left.nodes.size(); i-- > 0;)
            if (m_rightOf[i] == none)
                waiting[keyOf(m_left, m_left.nodes[i])].push_back(i);
        for (std::size_t k = 0; k < m_right.nodes.size(); ++k) {
            if (m_leftOf[k] != none)
                continue;
            Key key = keyOf(m_right, m_right.nodes[k]);
            if (!byName && std::get<1>(key).empty())
                continue; // what stands for nothing is the same only by its name
            const auto found = waiting.find(key);
            if (found == waiting.end() || found->second.empty())
                continue;
            m_leftOf[k] = found->second.back();
            m_rightOf[found->second.back()] = k;
            found->second.pop_back();
        }
    }

    void addNodes() {
        const auto add = [&](const NodeRecord& node, NodeId left, NodeId right) {
            const auto id = static_cast<NodeId>(m_out.nodes.size());
            if (left != noNode)
                m_ofLeft.emplace(left, id);
            if (right != noNode)
                m_ofRight.emplace(right, id);
            m_out.nodes.push_back({left, right, JointNode::Mark::Kept, {}, {}});
            NodeRecord& shown = m_out.graph.nodes.emplace_back(node);
            shown.id = id;
            if (right == noNode)
                shown.group = -1;
        };
        for (std::size_t i = 0; i < m_left.nodes.size(); ++i)
            if (const std::size_t k = m_rightOf[i]; k == none)
                add(m_left.nodes[i], m_left.nodes[i].id, noNode);
            else
                add(m_right.nodes[k], m_left.nodes[i].id, m_right.nodes[k].id);
        for (std::size_t k = 0; k < m_right.nodes.size(); ++k)
            if (m_leftOf[k] == none)
                add(m_right.nodes[k], noNode, m_right.nodes[k].id);
    }

    using Ids = std::unordered_map<NodeId, NodeId>;
    static std::vector<InputRef> operandsOf(const NodeRecord& node, const Ids& ids) {
        std::vector<InputRef> out;
        for (InputRef input : node.inputs)
            if (const auto found = ids.find(input.node); found != ids.end()) {
                input.node = found->second;
                out.push_back(std::move(input));
            }
        return out;
    }

    static bool isSame(const InputRef& a, const InputRef& b) {
        return a.node == b.node && a.output == b.output;
    }
    static bool has(const std::vector<InputRef>& all, const InputRef& one) {
        return std::any_of(all.begin(), all.end(),
                           [&](const InputRef& other) { return isSame(one, other); });
    }
    static bool typesDiffer(const NodeRecord& a, const NodeRecord& b) {
        return !std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                           [](const auto& x, const auto& y) { return x.type == y.type; });
    }

    void addOperands() {
        std::unordered_map<NodeId, const NodeRecord*> left, right;
        for (const NodeRecord& node : m_left.nodes)
            left.emplace(node.id, &node);
        for (const NodeRecord& node : m_right.nodes)
            right.emplace(node.id, &node);
        for (std::size_t i = 0; i < m_out.nodes.size(); ++i) {
            JointNode& joint = m_out.nodes[i];
            std::vector<InputRef>& inputs = m_out.graph.nodes[i].inputs;
            if (joint.right == noNode) {
                joint.mark = JointNode::Mark::Erased;
                inputs = operandsOf(*left.at(joint.left), m_ofLeft);
                continue;
            }
            const NodeRecord& now = *right.at(joint.right);
            inputs = operandsOf(now, m_ofRight);
            if (joint.left == noNode) {
                joint.mark = JointNode::Mark::Created;
                continue;
            }
            const NodeRecord& before = *left.at(joint.left);
            const std::vector<InputRef> earlier = operandsOf(before, m_ofLeft);
            const bool same =
                std::equal(inputs.begin(), inputs.end(), earlier.begin(), earlier.end(), isSame);
            if (!same || before.attributes != now.attributes || typesDiffer(before, now))
                joint.mark = JointNode::Mark::Changed;
            for (std::size_t k = 0; k < inputs.size(); ++k)
                if (!has(earlier, inputs[k]))
                    joint.rightOnly.push_back(k);
            const std::vector<InputRef> later = inputs;
            for (const InputRef& one : earlier)
                if (!has(later, one)) {
                    joint.leftOnly.push_back(inputs.size());
                    inputs.push_back(one);
                }
        }
    }

    void addResults() {
        const auto add = [&](const GraphDocument& graph, const Ids& ids, bool isLeft) {
            for (InputRef result : graph.results) {
                const auto maker = ids.find(result.node);
                if (maker == ids.end())
                    continue;
                result.node = maker->second;
                std::vector<InputRef>& known = m_out.graph.results;
                const auto same = std::find(known.begin(), known.end(), result);
                const auto place = static_cast<std::size_t>(same - known.begin());
                if (same == known.end()) {
                    known.push_back(std::move(result));
                    m_out.results.emplace_back();
                }
                (isLeft ? m_out.results[place].left : m_out.results[place].right) = true;
            }
        };
        add(m_left, m_ofLeft, true);
        add(m_right, m_ofRight, false);
    }

    const GraphDocument& m_left;
    const GraphDocument& m_right;
    Places m_rightOf, m_leftOf; // of the other graph; none: it does not live on
    Ids m_ofLeft, m_ofRight;    // id there -> id here
    JointGraph m_out;
};

} // namespace

JointGraph joined(const GraphDocument& left, const GraphDocument& right) {
    return Joining(left, right).take();
}

} // namespace fw::snapshot
