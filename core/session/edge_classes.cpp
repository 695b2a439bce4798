#include "session/edge_classes.h"

#include "ir/operator.h"

#include <map>
#include <unordered_map>
#include <utility>

namespace fw {

namespace {

class Classes {
public:
    explicit Classes(const Graph& graph) : m_graph(graph) {
        for (const NodePtr& node : graph.nodes())
            m_places.emplace(node->id, static_cast<std::uint32_t>(m_places.size()));
        m_seen.assign(m_places.size(), 0);
        // One search goes back as far as one skips; of a graph in which all skip far some are data.
        m_left = 100'000 + 20 * m_places.size();
    }

    std::vector<ClassedEdge> take() {
        findSizes();
        std::vector<ClassedEdge> out;
        for (const NodePtr& node : m_graph.nodes()) {
            const bool binds = m_graph.operators().bindsDims(node->op);
            for (std::size_t k = 0; k < node->inputs.size(); ++k)
                if (const ValueRef from = node->inputs[k];
                    from.valid() && (binds || m_sizes[m_places.at(from.node)] != 0))
                    out.push_back({node->id, k, "shape"});
            for (const auto& [reader, operand] : skipInto(*node))
                out.push_back({reader, operand, "residual"});
        }
        return out;
    }

private:
    // Nodes all of whose results only become sizes.
    void findSizes() {
        m_sizes.assign(m_places.size(), 0);
        const auto& nodes = m_graph.nodes();
        for (std::size_t i = nodes.size(); i-- > 0;) {
            const Node& node = *nodes[i];
            bool used = false, only = !node.isConstant() && node.bodies.empty();
            const bool binds = m_graph.operators().bindsDims(node.op);
            for (std::size_t o = 0; only && o < node.outputs.size(); ++o) {
                const ValueRef value{node.id, static_cast<int>(o)};
                only = binds || (isInteger(m_graph.type(value).dtype) && !m_graph.isResult(value));
                for (const Use& use : m_graph.uses(value)) {
                    const Node& reader = m_graph.node(use.node);
                    used = true;
                    only = only && (binds || m_graph.operators().bindsDims(reader.op) ||
                                    m_sizes[m_places.at(use.node)] != 0);
                }
            }
            m_sizes[i] = static_cast<char>(only && used && !node.isInput());
        }
    }

    using Way = std::vector<std::pair<NodeId, std::size_t>>; // readers, and which operand

    // The way to a sum of two values round what makes the other one, be it a value that both read
    // or what a few operators make of it.
    Way skipInto(const Node& node) {
        if (node.isLeaf() || node.inputs.size() != 2 || !isSum(node))
            return {};
        const auto isWhole = [&](ValueRef operand) {
            return m_graph.type(operand).shape == m_graph.type({node.id, 0}).shape;
        };
        for (const std::size_t k : {std::size_t(0), std::size_t(1)}) {
            const ValueRef from = node.inputs[k], other = node.inputs[1 - k];
            if (isWhole(from) && from.node != other.node && stepsBack(other.node, from.node))
                return {{node.id, k}};
        }
        for (const std::size_t k : {std::size_t(0), std::size_t(1)})
            if (isWhole(node.inputs[k]))
                if (Way way = shortWay(node, k); !way.empty())
                    return way;
        return {};
    }

    // Back from the operand through what reads one value and constants, as far as one that the
    // other operand is made of, too, by more operators.
    Way shortWay(const Node& sum, std::size_t operand) {
        constexpr std::size_t longest = 3; // a convolution, a normalization, and one more
        const NodeId other = sum.inputs[1 - operand].node;
        Way way{{sum.id, operand}};
        for (NodeId at = sum.inputs[operand].node; way.size() <= longest;) {
            const Node& node = m_graph.node(at);
            std::optional<std::size_t> only;
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                if (const ValueRef input = node.inputs[k];
                    input.valid() && !m_graph.node(input.node).isConstant()) {
                    if (only)
                        return {};
                    only = k;
                }
            if (!only || !node.bodies.empty())
                return {};
            way.emplace_back(at, *only);
            at = node.inputs[*only].node;
            if (const auto steps = stepsBack(other, at))
                return *steps >= way.size() ? way : Way();
        }
        return {};
    }

    bool isSum(const Node& node) {
        for (const ValueRef input : node.inputs)
            if (!input.valid() || m_graph.node(input.node).isConstant())
                return false;
        const Operator* op = m_graph.operators().find(node.op);
        if (op == nullptr || !op->commutative())
            return false;
        const auto known = m_sums.find(node.op);
        if (known != m_sums.end())
            return known->second;
        const bool sum = adds(node, *op);
        if (op->attrNames().empty()) // of every call the same
            m_sums.emplace(node.op, sum);
        return sum;
    }

    bool adds(const Node& node, const Operator& op) const {
        const auto inst = op.instantiate(callOf(m_graph, node));
        if (!inst || inst->stages.size() != 1 || !inst->stages[0].isMap())
            return false;
        const Expr& body = inst->stages[0].body;
        return body.op() == ExprOp::Add && body.arg(0).op() == ExprOp::Load &&
               body.arg(1).op() == ExprOp::Load;
    }

    // Over how few edges one comes back from a node to another; none: there is no way.
    std::optional<std::size_t> stepsBack(NodeId from, NodeId to) {
        const std::uint32_t first = m_places.at(to);
        std::vector<NodeId> open{from}, next;
        ++m_search;
        for (std::size_t steps = 1; !open.empty(); ++steps, open = std::exchange(next, {}))
            for (const NodeId at : open) {
                if (m_left == 0)
                    return std::nullopt;
                --m_left;
                for (const ValueRef input : m_graph.node(at).inputs) {
                    if (!input.valid())
                        continue;
                    if (input.node == to)
                        return steps;
                    const std::uint32_t place = m_places.at(input.node);
                    if (place > first && std::exchange(m_seen[place], m_search) != m_search)
                        next.push_back(input.node);
                }
            }
        return std::nullopt;
    }

    const Graph& m_graph;
    std::unordered_map<NodeId, std::uint32_t> m_places; // in the order of nodes
    std::map<std::string, bool> m_sums;                 // by operator
    std::vector<char> m_sizes;                          // by place
    std::vector<std::uint32_t> m_seen;                  // in which search
    std::uint32_t m_search = 0;
    std::size_t m_left = 0; // steps
};

} // namespace

std::vector<ClassedEdge> classedEdges(const Graph& graph) {
    return Classes(graph).take();
}

} // namespace fw
