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
            if (const auto operand = skipInto(*node))
                out.push_back({node->id, *operand, "residual"});
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

    // The operand of a sum of two values that goes round what makes the other one.
    std::optional<std::size_t> skipInto(const Node& node) {
        if (node.isLeaf() || node.inputs.size() != 2 || !isSum(node))
            return std::nullopt;
        for (const std::size_t k : {std::size_t(0), std::size_t(1)}) {
            const ValueRef from = node.inputs[k], other = node.inputs[1 - k];
            const bool whole = m_graph.type(from).shape == m_graph.type({node.id, 0}).shape;
            if (whole && from.node != other.node && reaches(from.node, other.node))
                return k;
        }
        return std::nullopt;
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

    bool reaches(NodeId from, NodeId to) {
        const std::uint32_t first = m_places.at(from);
        std::vector<NodeId> open{to};
        ++m_search;
        while (!open.empty() && m_left > 0) {
            const NodeId at = open.back();
            open.pop_back();
            --m_left;
            for (const ValueRef input : m_graph.node(at).inputs) {
                if (!input.valid())
                    continue;
                if (input.node == from)
                    return true;
                const std::uint32_t place = m_places.at(input.node);
                if (place > first && std::exchange(m_seen[place], m_search) != m_search)
                    open.push_back(input.node);
            }
        }
        return false;
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
