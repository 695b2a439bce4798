// Graphs for the tests of what is said about graphs: with names, groups and repetitions as large
// models have them.
#pragma once

#include "base/library_names.h"
#include "snapshot/records.h"

#include <random>
#include <string>
#include <vector>

namespace fw::snapshot {

class GraphMaker {
public:
    GraphMaker() { m_graph.stage = "imported"; }

    NodeId input(const std::string& name) { return add("input", name, {}); }
    NodeId constant() {
        const NodeId id = add("constant", "c" + std::to_string(m_next), {});
        m_graph.nodes.back().constant = true;
        return id;
    }
    NodeId add(const std::string& op, const std::string& name, const std::vector<NodeId>& inputs) {
        NodeRecord node;
        node.id = m_next++;
        node.op = op;
        node.name = name;
        for (const NodeId from : inputs)
            node.inputs.push_back({from, 0, "v" + std::to_string(from)});
        node.outputs.push_back({"v" + std::to_string(node.id), "f32[4]"});
        m_graph.nodes.push_back(std::move(node));
        return m_graph.nodes.back().id;
    }
    // These nodes are one group.
    void group(const std::vector<NodeId>& nodes, const std::string& implementation = "generated") {
        const int id = static_cast<int>(m_graph.groups.size());
        m_graph.stage = "fused";
        const std::string library = libraryOfCall(implementation);
        const MakerRecord maker{library.empty() ? Maker::Generated : Maker::Library, library};
        m_graph.groups.push_back({id, "group_" + std::to_string(id), implementation, maker, 10.0});
        for (const NodeId node : nodes)
            m_graph.nodes[static_cast<std::size_t>(node)].group = id;
    }
    // These nodes are a body of `node`, which reads the operands `reads` of it from outside.
    void body(const std::string& name, NodeId node, const std::vector<NodeId>& nodes,
              const std::vector<int>& reads = {}) {
        InsideRecord one;
        one.path = m_graph.nodes[static_cast<std::size_t>(node)].name + "/" + name;
        one.name = name;
        one.node = node;
        one.nodes = nodes;
        one.reads = reads;
        if (!nodes.empty())
            one.results = {{nodes.back(), 0, "r"}};
        m_graph.insides.push_back(std::move(one));
    }
    GraphDocument finish(NodeId result) {
        m_graph.results = {{result, 0, "y"}};
        return std::move(m_graph);
    }
    const GraphDocument& graph() const { return m_graph; }

private:
    GraphDocument m_graph;
    NodeId m_next = 0;
};

enum class Naming : std::uint8_t { Scopes, Flat };

// Layers of attention and two products around a residual value, with a mask that all of them read.
inline GraphDocument transformer(int layers, Naming naming) {
    GraphMaker maker;
    const NodeId x = maker.input("x"), mask = maker.input("mask");
    const auto name = [&](const std::string& scope, const std::string& op) {
        return naming == Naming::Scopes ? scope + "/" + op
                                        : op + "_" + std::to_string(maker.graph().nodes.size());
    };
    NodeId at = maker.add("gather", name("/embed", "Gather"), {maker.constant(), x});
    at = maker.add("add", name("/embed", "Add"), {at, maker.constant()});
    for (int layer = 0; layer < layers; ++layer) {
        const std::string scope = "/layers." + std::to_string(layer);
        const NodeId normal =
            maker.add("layer_norm", name(scope + "/norm1", "Norm"), {at, maker.constant()});
        const auto product = [&](NodeId from, const std::string& part) {
            const NodeId made =
                maker.add("matmul", name(scope + part, "MatMul"), {from, maker.constant()});
            return maker.add("add", name(scope + part, "Add"), {made, maker.constant()});
        };
        const NodeId q = product(normal, "/attn/q"), k = product(normal, "/attn/k"),
                     v = product(normal, "/attn/v");
        NodeId scores = maker.add("matmul", name(scope + "/attn", "Scores"), {q, k});
        scores = maker.add("add", name(scope + "/attn", "Masked"), {scores, mask});
        scores = maker.add("softmax", name(scope + "/attn", "Softmax"), {scores});
        const NodeId mixed = maker.add("matmul", name(scope + "/attn", "Mixed"), {scores, v});
        at = maker.add("add", name(scope, "Add"), {at, product(mixed, "/attn/o")});
        const NodeId second =
            maker.add("layer_norm", name(scope + "/norm2", "Norm"), {at, maker.constant()});
        const NodeId inner =
            maker.add("gelu", name(scope + "/mlp", "Gelu"), {product(second, "/mlp/up")});
        at = maker.add("add", name(scope, "Add_1"), {at, product(inner, "/mlp/down")});
    }
    at = maker.add("layer_norm", name("/final", "Norm"), {at, maker.constant()});
    at = maker.add("matmul", name("/final", "MatMul"), {at, maker.constant()});
    return maker.finish(at);
}

// if (c) relu(x) else tanh(exp(x)), where a step of the second is a loop with a body of its own.
inline GraphDocument branching() {
    GraphMaker maker;
    const NodeId x = maker.input("x"), c = maker.input("c");
    const NodeId before = maker.add("abs", "before", {x});
    const NodeId taken = maker.add("relu", "taken", {before});
    const NodeId other = maker.add("exp", "other", {before});
    const NodeId i = maker.input("i");
    const NodeId step = maker.add("sin", "step", {other});
    const NodeId loop = maker.add("Loop", "turn", {other});
    const NodeId last = maker.add("tanh", "last", {loop});
    const NodeId choice = maker.add("If", "choice", {c, before});
    const NodeId after = maker.add("neg", "after", {choice});
    maker.body("then", choice, {taken}, {1});
    maker.body("else", choice, {other, loop, last}, {1});
    maker.body("body", loop, {i, step}, {0});
    return maker.finish(after);
}

// Names of random depth, edges from earlier nodes, groups that are runs of nodes.
inline GraphDocument randomGraph(std::uint32_t seed, int nodes, bool groups) {
    std::mt19937 random(seed);
    const auto below = [&](int limit) {
        return static_cast<int>(random() % static_cast<unsigned>(limit));
    };
    GraphMaker maker;
    std::vector<NodeId> made{maker.input("x")};
    std::vector<NodeId> open;
    const char* ops[] = {"relu", "add", "matmul", "tanh"};
    for (int i = 0; i < nodes; ++i) {
        std::string name;
        for (int depth = below(4); depth > 0; --depth)
            name += "s" + std::to_string(below(3)) + (below(2) == 0 ? "/" : ".");
        if (below(6) != 0)
            name += "n" + std::to_string(i);
        std::vector<NodeId> inputs;
        for (int k = 1 + below(2); k > 0; --k) {
            const int reach =
                std::min<int>(static_cast<int>(made.size()), below(9) == 0 ? 1000 : 5);
            inputs.push_back(made[made.size() - 1 - static_cast<std::size_t>(below(reach))]);
        }
        if (below(4) == 0)
            inputs.push_back(maker.constant());
        made.push_back(maker.add(ops[below(4)], name, inputs));
        if (groups && below(3) == 0 && !open.empty()) {
            maker.group(open);
            open.clear();
        }
        if (groups)
            open.push_back(made.back());
    }
    return maker.finish(made.back());
}

} // namespace fw::snapshot
