// Layouts: which values are stored channels-last.
//
// Window operators over images (convolutions, pools) vectorise over channels, so their images lie
// channels-last; what is element-wise beside them follows, concat and the like too, because a
// tensor expression is right under any layout. The model's own inputs and results keep the order of
// the model, and so does what a view reads as a flat row. No reorder is made: a kernel reads and
// writes in whatever order its tensors have.
#include "fusion/plan.h"

#include <fmt/format.h>

#include <set>

namespace fw {

namespace {

bool isImage(const TensorType& type) {
    return type.rank() == 4;
}

bool wantsChannelsLast(const Node& node) {
    static const std::set<std::string, std::less<>> names = {
        "conv2d",     "conv_transpose2d",    "max_pool2d",
        "avg_pool2d", "global_average_pool", "global_max_pool",
        "lrn"};
    return names.contains(node.op);
}

bool follows(const Node& node, const Facts& facts) {
    return facts.kind == FusionKind::Elementwise || facts.kind == FusionKind::Broadcast ||
           node.op == "concat" || node.op == "pad" || node.op == "slice";
}

// With one pixel, both orders are the same bytes.
bool sameBytesEitherWay(const TensorType& type) {
    return type.shape[2].isInt(1) && type.shape[3].isInt(1);
}

} // namespace

void chooseLayouts(const Graph& graph, FusionPlan& plan) {
    std::set<ValueRef> fixed;  // must stay row-major
    std::set<ValueRef> wanted; // better channels-last
    for (const NodeId id : graph.inputs())
        fixed.insert({id, 0});
    for (const NamedValue& result : graph.results())
        fixed.insert(result.value);
    const auto images = [&](const Node& node) {
        std::vector<ValueRef> out;
        for (const ValueRef& input : node.inputs)
            if (input.valid() && isImage(graph.type(input)) && graph.constant(input) == nullptr)
                out.push_back(input);
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            if (isImage(node.outputs[i].type))
                out.push_back({node.id, static_cast<int>(i)});
        return out;
    };
    std::vector<std::pair<const Node*, bool>> operators; // and whether it hands a layout on
    for (const NodePtr& node : graph.nodes()) {
        if (node->isInput() || node->isConstant())
            continue;
        if (isView(graph, *node)) {
            fixed.insert({node->id, 0});
            if (isImage(graph.type(node->inputs[0])) &&
                !sameBytesEitherWay(graph.type(node->inputs[0])))
                fixed.insert(node->inputs[0]);
            continue;
        }
        if (wantsChannelsLast(*node)) {
            for (const ValueRef& value : images(*node))
                wanted.insert(value);
            continue;
        }
        const auto group = plan.groupOf.find(node->id);
        const Result<Facts> facts = graph.operators().find(node->op)->facts(callOf(graph, *node));
        if (facts && group != plan.groupOf.end() && follows(*node, *facts))
            operators.emplace_back(node.get(), true);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [node, hands] : operators) {
            const std::vector<ValueRef> values = images(*node);
            bool any = false;
            for (const ValueRef& value : values)
                any = any || wanted.contains(value);
            if (any)
                for (const ValueRef& value : values)
                    changed = wanted.insert(value).second || changed;
        }
    }
    for (const ValueRef& value : wanted) {
        const std::string name = graph.output(value).name;
        if (fixed.contains(value)) {
            plan.notices.push_back({name, Verdict::No, ReasonCode::LayoutKept,
                                    graph.isResult(value) || graph.node(value.node).isInput()
                                        ? "it belongs to the model's signature"
                                        : "a view reads it as a row"});
            continue;
        }
        plan.layouts.emplace(value, channelsLast(4));
        plan.notices.push_back({name, Verdict::Yes, ReasonCode::LayoutChosen,
                                "channels-last, for the window operators beside it"});
    }
}

} // namespace fw
