#include "verdict/small_graph.h"

#include "tensor/bounded_values.h"

#include "tensor/evaluate_graph.h"
#include "verdict/common_end.h"
#include "verdict/common_values.h"
#include "verdict/graph_literals.h"
#include <algorithm>
#include <cmath>

namespace fw {

namespace {

bool divides(const Expr& e) {
    const bool here = (e.op() == ExprOp::Div && isFloat(e.dtype())) ||
                      (e.op() == ExprOp::Call && (e->fn == MathFn::Rsqrt || e->fn == MathFn::Pow));
    return here || std::any_of(e.args().begin(), e.args().end(), divides);
}

} // namespace

bool reads(const Graph& graph, NodeId input) {
    const auto is = [&](ValueRef value) { return value.node == input; };
    return std::any_of(graph.results().begin(), graph.results().end(),
                       [&](const auto& result) { return is(result.value); }) ||
           std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const NodePtr& node) {
               return std::any_of(node->inputs.begin(), node->inputs.end(), is);
           });
}

double coarsestUnit(const Graph& graph) {
    double out = 0;
    for (const NodePtr& node : graph.nodes())
        if (!node->isLeaf())
            for (const Output& output : node->outputs)
                if (isFloat(output.type.dtype))
                    out = std::max(out, roundingUnit(output.type.dtype));
    return out;
}

bool divides(const Graph& graph) {
    for (const NodePtr& node : graph.nodes()) {
        const Operator* op = node->isLeaf() ? nullptr : graph.operators().find(node->op);
        if (op == nullptr)
            continue;
        const Result<OpInst> inst = op->instantiate(callOf(graph, *node));
        if (!inst || std::any_of(inst->stages.begin(), inst->stages.end(),
                                 [](const Stage& stage) { return divides(stage.body); }))
            return true;
    }
    return false;
}

bool leavesTheNumbers(const Graph& graph, const std::vector<TensorData>& inputs) {
    GraphEditor editor(graph);
    for (const NodePtr& node : graph.nodes())
        for (std::size_t i = 0; i < node->outputs.size(); ++i)
            if (!node->isLeaf() && isFloat(node->outputs[i].type.dtype))
                editor.addResult("value", {node->id, static_cast<int>(i)});
    const Result<GraphPtr> whole = editor.finish();
    const auto values =
        whole ? evaluateGraph(**whole, inputs) : Result<std::vector<TensorData>>(whole.diag());
    if (!values)
        return false;
    for (const TensorData& one : *values)
        for (std::size_t i = 0; isFloat(one.dtype()) && i < one.count(); ++i)
            if (!std::isfinite(one.at(i)))
                return true;
    return false;
}

bool roundedApart(const std::vector<TensorData>& a, const std::vector<TensorData>& b) {
    for (std::size_t k = 0; k < a.size(); ++k)
        for (std::size_t i = 0; i < a[k].count(); ++i) {
            if (!isFloat(a[k].dtype())) {
                if (a[k].integerAt(i) != b[k].integerAt(i))
                    return true;
                continue;
            }
            const double x = a[k].at(i), y = b[k].at(i);
            if (std::isfinite(x) && std::isfinite(y) && x != y)
                return true;
        }
    return false;
}

std::int64_t sizeOf(const Graph& graph) {
    constexpr std::int64_t ofNothing = 1000; // a tensor without elements shows little
    std::int64_t out = 0;
    for (const NodePtr& node : graph.nodes())
        for (const Output& output : node->outputs) {
            const std::int64_t count = elementCount(output.type.shape).asInt().value_or(0);
            out += 4 + (count > 0 ? count : ofNothing);
        }
    return out;
}

bool readsText(const Graph& graph) {
    return std::any_of(graph.inputs().begin(), graph.inputs().end(), [&](NodeId id) {
        return graph.type({id, 0}).dtype == DType::Text;
    });
}

} // namespace fw
