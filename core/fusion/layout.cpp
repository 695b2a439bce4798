// Layouts: which values are stored channels-last, or in blocks of channels.
//
// Window operators over images (convolutions, pools) vectorise over channels, so their images lie
// channels-last; what is element-wise beside them follows, concat and the like too, because a
// tensor expression is right under any layout. The model's own inputs and results keep the order of
// the model, and so does what a view reads as a flat row. No reorder is made: a kernel reads and
// writes in whatever order its tensors have. Where it can, a concat costs nothing: what it joins is
// computed where it belongs in the result; and what a split or slice takes is read where it lies.
#include "fusion/plan.h"

#include "expr/simplify.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
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
           node.op == "concat" || node.op == "pad" || node.op == "slice" || node.op == "split" ||
           node.op == "channel_shuffle";
}

bool isGenerated(const Group& group) {
    return group.kind == GroupKind::Kernel;
}

// Why an operand of a concat cannot be computed in the place that it takes in the result.
std::optional<std::string> notInPlace(const Graph& graph, const FusionPlan& plan,
                                      const Node& concat, ValueRef value) {
    const Node& producer = graph.node(value.node);
    const std::string& name = graph.output(value).name;
    if (producer.isInput() || producer.isConstant())
        return name + " is computed by no kernel";
    if (graph.isResult(value))
        return name + " is a result of the model";
    if (std::count(concat.inputs.begin(), concat.inputs.end(), value) != 1)
        return name + " is there more than once";
    if (plan.homes.contains(value))
        return name + " lies in another tensor already";
    if (plan.layout(value).axes != plan.layout({concat.id, 0}).axes)
        return name + " is stored in another order";
    // Only generated kernels reach into a larger tensor.
    const Group& group = plan.groupAt(value.node);
    if (!isGenerated(group))
        return fmt::format("{} comes from {}", name, group.name);
    for (const Use& use : graph.uses(value))
        if (use.node != concat.id && !isGenerated(plan.groupAt(use.node)))
            return fmt::format("{} is read by {}", name, plan.groupAt(use.node).name);
    return {};
}

// A concat whose operands are all computed in its memory has nothing to do. From last to first, so
// that a concat inside another one knows its place before its operands get theirs.
void placeConcats(const Graph& graph, FusionPlan& plan) {
    for (auto group = plan.groups.rbegin(); group != plan.groups.rend(); ++group) {
        const Node& node = graph.node(group->anchor);
        if (node.op != "concat" || group->nodes.size() != 1 || !isGenerated(*group))
            continue;
        std::optional<std::string> why;
        for (const ValueRef& operand : node.inputs)
            if (!why)
                why = notInPlace(graph, plan, node, operand);
        if (why) {
            plan.notices.push_back({node.name, Verdict::No, ReasonCode::LayoutCopied, *why});
            continue;
        }
        const ValueRef whole{node.id, 0};
        const TensorType& type = graph.type(whole);
        const auto rank = static_cast<std::int64_t>(type.rank());
        const std::int64_t axis = node.attrs.integer("axis", 0);
        const auto dim = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
        const StorageMap outer = plan.layout(whole);
        Dim offset(0);
        for (const ValueRef& operand : node.inputs) {
            StorageMap map = outer;
            map.slices.insert(map.slices.begin(), {static_cast<int>(dim), type.shape[dim], offset});
            offset = simplify(offset + graph.type(operand).shape[dim]);
            plan.layouts[operand] = std::move(map);
            plan.homes.emplace(operand, whole);
        }
        group->becomeView();
        plan.notices.push_back({node.name, Verdict::Yes, ReasonCode::LayoutInPlace,
                                "its operands are computed in its memory"});
    }
}

// Where a stage that only hands on a box of its operand takes it from: the first index per
// dimension.
std::optional<Exprs> boxOf(const Stage& stage, const OpInst& inst) {
    const Expr& body = stage.body;
    if (!stage.isMap() || body.op() != ExprOp::Load || inst.inputs.empty() ||
        body->symbol != inst.inputs[0].name || body.args().size() != stage.space.size())
        return {};
    Exprs out;
    for (std::size_t d = 0; d < stage.space.size(); ++d) {
        const Expr var = varExpr(stage.space[d].var);
        if (!(stage.store[d] == var))
            return {};
        out.push_back(simplify(body.arg(d) - var));
        for (const Axis& axis : stage.space)
            if (usesVar(out.back(), axis.var))
                return {};
    }
    return out;
}

// Why the value cannot be read where it lies in the operand.
std::optional<std::string> notReadInPlace(const Graph& graph, const FusionPlan& plan,
                                          ValueRef value) {
    const std::string& name = graph.output(value).name;
    if (graph.isResult(value))
        return name + " is a result of the model";
    if (plan.homes.contains(value))
        return name + " is computed in another tensor";
    for (const Use& use : graph.uses(value))
        if (!isGenerated(plan.groupAt(use.node)))
            return fmt::format("{} is read by {}", name, plan.groupAt(use.node).name);
    return {};
}

// What takes boxes of its operand (split, slice with step 1) has nothing to do if everyone who
// reads them can read them there.
void placeSlices(const Graph& graph, FusionPlan& plan) {
    for (Group& group : plan.groups) {
        const Node& node = graph.node(group.anchor);
        if (group.nodes.size() != 1 || !isGenerated(group) || node.inputs.empty() ||
            graph.constant(node.inputs[0]) != nullptr)
            continue;
        const Result<OpInst> inst =
            graph.operators().find(node.op)->instantiate(callOf(graph, node));
        if (!inst || inst->stages.size() != node.outputs.size() || inst->inputs.empty() ||
            inst->outputs.size() != node.outputs.size())
            continue;
        std::vector<Exprs> boxes;
        for (std::size_t i = 0; i < inst->stages.size(); ++i)
            if (inst->stages[i].out == inst->outputs[i].name)
                if (auto box = boxOf(inst->stages[i], *inst))
                    boxes.push_back(std::move(*box));
        if (boxes.size() != node.outputs.size())
            continue;
        std::optional<std::string> why;
        for (std::size_t i = 0; i < boxes.size() && !why; ++i)
            why = notReadInPlace(graph, plan, {node.id, static_cast<int>(i)});
        if (why) {
            plan.notices.push_back({node.name, Verdict::No, ReasonCode::LayoutCopied, *why});
            continue;
        }
        const ValueRef whole = node.inputs[0];
        const Shape& shape = graph.type(whole).shape;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            StorageMap map = plan.layout(whole);
            std::vector<StorageSlice> slices;
            for (std::size_t d = 0; d < boxes[i].size(); ++d)
                if (!(node.outputs[i].type.shape[d] == shape[d]))
                    slices.push_back({static_cast<int>(d), shape[d], boxes[i][d]});
            map.slices.insert(map.slices.begin(), slices.begin(), slices.end());
            const ValueRef part{node.id, static_cast<int>(i)};
            plan.layouts[part] = std::move(map);
            plan.homes.emplace(part, whole);
        }
        group.becomeView();
        plan.notices.push_back(
            {node.name, Verdict::Yes, ReasonCode::LayoutInPlace, "read where its operand lies"});
    }
}

// Images that lie between calls of one implementation with an order of its own.
std::map<ValueRef, StorageMap> betweenCalls(const Graph& graph, const FusionPlan& plan) {
    std::map<ValueRef, StorageMap> out;
    for (const Group& group : plan.groups) {
        const std::optional<StorageMap> map = group.by ? group.by->imagesBetween() : std::nullopt;
        if (!map || group.stacked || group.outputs.size() != 1)
            continue;
        const ValueRef value = group.outputs[0];
        const TensorType& type = graph.type(value);
        const auto uses = graph.uses(value);
        const bool between = isImage(type) && !graph.isResult(value) && !uses.empty() &&
                             std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
                                 const Group& reader = plan.groupAt(use.node);
                                 return reader.by == group.by && !reader.stacked &&
                                        use.node == reader.anchor &&
                                        graph.node(use.node).inputs[0] == value;
                             });
        const bool whole = std::all_of(map->axes.begin(), map->axes.end(), [&](const auto& axis) {
            const auto extent = type.shape[static_cast<std::size_t>(axis.dim)].asInt();
            return axis.mod == 0 || (extent && *extent % axis.mod == 0);
        });
        if (between && whole)
            out.emplace(value, *map);
    }
    return out;
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
    std::map<ValueRef, std::string> rows; // what a library wants row-major -> its call
    for (const Group& group : plan.groups)
        if (group.by && group.by->wantsRows())
            for (const std::vector<ValueRef>* values : {&group.inputs, &group.outputs})
                for (const ValueRef& value : *values)
                    rows.emplace(value, group.implementation);
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
    const std::map<ValueRef, StorageMap> blocks = betweenCalls(graph, plan);
    for (const ValueRef& value : wanted) {
        const std::string name = graph.output(value).name;
        if (fixed.contains(value)) {
            plan.notices.push_back({name, Verdict::No, ReasonCode::LayoutKept,
                                    graph.isResult(value) || graph.node(value.node).isInput()
                                        ? "it belongs to the model's signature"
                                        : "a view reads it as a row"});
            continue;
        }
        if (const auto by = rows.find(value); by != rows.end()) {
            plan.notices.push_back(
                {name, Verdict::No, ReasonCode::LayoutKept, by->second + " works on rows of it"});
            continue;
        }
        if (const auto block = blocks.find(value); block != blocks.end()) {
            plan.layouts.emplace(value, block->second);
            plan.notices.push_back({name, Verdict::Yes, ReasonCode::LayoutChosen,
                                    fmt::format("{}, between calls of {}", block->second.text(4),
                                                plan.groupAt(value.node).implementation)});
            continue;
        }
        plan.layouts.emplace(value, channelsLast(4));
        plan.notices.push_back({name, Verdict::Yes, ReasonCode::LayoutChosen,
                                "channels-last, for the window operators beside it"});
    }
    placeConcats(graph, plan);
    placeSlices(graph, plan);
}

} // namespace fw
