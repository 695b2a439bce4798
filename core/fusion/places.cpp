// What lies inside another tensor: where it can, a concat costs nothing, since what it joins is
// computed where it belongs in the result; and what a split or slice takes is read where it lies.
#include "fusion/layout.h"

#include "expr/simplify.h"
#include "ir/bound_dims.h"
#include "tensor/movement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fw {

namespace {

bool isGenerated(const Group& group) {
    return group.kind == GroupKind::Kernel;
}

Result<OpInst> computationOf(const Graph& graph, const Node& node) {
    return graph.operators().find(node.op)->instantiate(callOf(graph, node));
}

// Why an operand of a concat cannot be computed in the place that it takes in the result.
std::optional<std::string> notInPlace(const Graph& graph, const FusionPlan& plan,
                                      const BindingLevels& levels, const Node& concat,
                                      ValueRef value) {
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
    if (levels.of(value.node) != levels.of(concat.id))
        return "the size of the whole is not known when " + name + " is computed";
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

// The part has no memory of its own: its first element is that of the whole at `offset`.
void putInside(const Graph& graph, FusionPlan& plan, ValueRef whole, ValueRef part,
               const Exprs& offset) {
    const Shape &outer = graph.type(whole).shape, &own = graph.type(part).shape;
    StorageMap map = plan.layout(whole);
    std::vector<StorageSlice> slices;
    for (std::size_t d = 0; d < offset.size(); ++d)
        if (!(own[d] == outer[d]))
            slices.push_back({static_cast<int>(d), outer[d], offset[d]});
    map.slices.insert(map.slices.begin(), slices.begin(), slices.end());
    plan.layouts[part] = std::move(map);
    plan.homes.emplace(part, whole);
}

// Who is asked for by a pin computes it.
std::optional<std::string> pinnedCode(const Group& group) {
    return group.source == "pin" ? std::optional(group.implementation + " is pinned for it")
                                 : std::nullopt;
}

// A concat whose operands are all computed in its memory has nothing to do. From last to first, so
// that a concat inside another one knows its place before its operands get theirs.
void placeConcats(const Graph& graph, FusionPlan& plan) {
    const BindingLevels levels(graph);
    for (auto group = plan.groups.rbegin(); group != plan.groups.rend(); ++group) {
        const Node& node = graph.node(group->anchor);
        if (group->work.kind != FusionKind::Injective || group->nodes.size() != 1 ||
            !isGenerated(*group))
            continue;
        const Result<OpInst> inst = computationOf(graph, node);
        const auto pieces = inst ? piecesOf(*inst) : std::nullopt;
        if (!pieces || pieces->size() != node.inputs.size())
            continue;
        std::optional<std::string> why = pinnedCode(*group);
        for (const ValueRef& operand : node.inputs)
            if (!why)
                why = notInPlace(graph, plan, levels, node, operand);
        if (why) {
            plan.notices.push_back({node.name, Verdict::No, ReasonCode::LayoutCopied, *why});
            continue;
        }
        const ValueRef whole{node.id, 0};
        for (std::size_t i = 0; i < pieces->size(); ++i)
            putInside(graph, plan, whole, node.inputs[i], (*pieces)[i].offset);
        group->becomeView();
        plan.notices.push_back({node.name, Verdict::Yes, ReasonCode::LayoutInPlace,
                                "its operands are computed in its memory"});
    }
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
        const Result<OpInst> inst = computationOf(graph, node);
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
        std::optional<std::string> why = pinnedCode(group);
        for (std::size_t i = 0; i < boxes.size() && !why; ++i)
            why = notReadInPlace(graph, plan, {node.id, static_cast<int>(i)});
        if (why) {
            plan.notices.push_back({node.name, Verdict::No, ReasonCode::LayoutCopied, *why});
            continue;
        }
        for (std::size_t i = 0; i < boxes.size(); ++i)
            putInside(graph, plan, node.inputs[0], {node.id, static_cast<int>(i)}, boxes[i]);
        group.becomeView();
        plan.notices.push_back(
            {node.name, Verdict::Yes, ReasonCode::LayoutInPlace, "read where its operand lies"});
    }
}

} // namespace

void placeInside(const Graph& graph, FusionPlan& plan) {
    placeConcats(graph, plan);
    placeSlices(graph, plan);
}

} // namespace fw
