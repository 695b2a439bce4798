// A graph as `.fw` text, and back: parseGraph(printGraph(g)) has the hash and the origins of g.
//
//     graph lenet(x: f32[N, 1, 28, 28]) -> y {
//       w = const @"fc.weight" hash "9f2c..." : f32[10, 84]   # large constants by name and content
//       k = const [1, 2, 3] : i64[3]                          # small ones inline
//       r = const random(7) : f32[128]                        # written by hand: seeded
//       h = relu(Conv_0.y) @node("Relu_1") @from(4, 5)
//       q = unknown "com.example" "Odd"(h, none) {mode = "fast"} : f32[N, 128]
//       z = unknown "" "If"(c, q) : f32[N, 128]
//         body then_branch(1) graph then(q: f32[N, 128]) -> t { t = relu(q) }
//         body else_branch(1) graph else(q: f32[N, 128]) -> e { e = neg(q) }
//     }
//
// Values come before their uses. Without @node a node is named after its operator; without @from it
// stands for itself, numbered from 0: inputs first, then the nodes as written. Behind the name of a
// body stands, for each of its inputs, the operand of the node that it is, or `none` if the
// operator says what it is. A body sees its own values only.
#pragma once

#include "ir/graph.h"
#include "ir/tensor_text.h"
#include "syntax/graph.h"

#include <functional>

namespace fw {

// Constants of up to so many elements are written out.
std::string printGraph(const Graph& graph, std::size_t written = smallTensor);

// Data of `const @"name"` by name and hash (empty if not written); nullopt if there is none.
using ConstantResolver = std::function<std::optional<TensorData>(
    const std::string& name, const std::string& hash, const TensorType& type)>;
// Constants and tensor attributes of a graph that stays alive, by content.
ConstantResolver constantsOf(const Graph& graph);

struct GraphTextOptions {
    ConstantResolver constants = {};
    std::string file = {}; // for errors
    std::map<std::string, std::int64_t> dims =
        {}; // values for free dimensions; UnknownName if one does not occur
    // Types of results of unknown operators in place of those that are written: "f32[N, 4]";
    // UnknownName if there is no such result.
    std::map<std::string, std::string> types = {};
    GraphEditor::Origins origins = GraphEditor::Origins::Keep;
    // Takes everything that is wrong, in the order of the text, of which the result is the first.
    Diags* errors = nullptr;
};

// One declaration `graph`; other declarations of the text are not looked at.
Result<GraphPtr> parseGraph(std::string_view text, std::shared_ptr<const OperatorSet> operators,
                            const GraphTextOptions& options = {});
Result<GraphPtr> elaborateGraph(const GraphTree& tree, std::shared_ptr<const OperatorSet> operators,
                                const GraphTextOptions& options = {});
// Everything that is wrong with a graph whatever its constants hold, which are not looked for.
Diags checkGraph(const GraphTree& tree, std::shared_ptr<const OperatorSet> operators,
                 const std::string& file);

} // namespace fw
