#include "rewrite/builtin.h"

#include <fmt/format.h>

namespace fw {

Result<BuiltinResult> foldConstants(const GraphPtr& graph, const RewriteOptions& options) {
    BuiltinResult out;
    out.graph = graph;
    GraphEditor editor(*graph);
    std::map<ValueRef, ValueRef> folded; // of the snapshot -> constant of the editor
    std::map<ValueRef, std::shared_ptr<const TensorData>> values; // of folded ones
    const auto dataOf = [&](ValueRef value) -> const TensorData* {
        const auto known = values.find(value);
        return known != values.end() ? known->second.get() : graph->constant(value);
    };
    for (const NodePtr& node : graph->nodes()) {
        if (node->isInput() || node->isConstant() || node->isUnknown() || node->inputs.empty())
            continue;
        if (options.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "rewriting was cancelled");
        std::vector<const TensorData*> operands;
        bool constant = true;
        for (const ValueRef& input : node->inputs) {
            operands.push_back(input.valid() ? dataOf(input) : nullptr);
            constant = constant && (!input.valid() || (operands.back() != nullptr &&
                                                       operands.back()->dtype() != DType::Text));
        }
        if (!constant)
            continue;
        std::size_t bytes = 0;
        for (const Output& output : node->outputs) {
            const auto extents = fixedExtents(output.type.shape);
            const Result<std::int64_t> count =
                extents ? checkedCount(*extents) : Result<std::int64_t>(INT64_MAX);
            bytes += count && *count < INT64_MAX / 16
                         ? static_cast<std::size_t>(*count) * dtypeBytes(output.type.dtype)
                         : SIZE_MAX / 4;
        }
        if (bytes > options.foldBytes) {
            out.decisions.push_back({node->name, Verdict::No, ReasonCode::FoldedConstant,
                                     "the result would be too large"});
            continue;
        }
        const Operator* op = graph->operators().find(node->op);
        Result<std::vector<TensorData>> results = op->reference(callOf(*graph, *node), operands);
        if (!results)
            continue; // stays as it is; whoever runs it says why it cannot
        for (std::size_t i = 0; i < results->size(); ++i) {
            const ValueRef value{node->id, static_cast<int>(i)};
            const ValueRef fresh =
                editor.addConstant(node->outputs[i].name + "_folded", (*results)[i], node->origins);
            editor.replaceUses(value, fresh);
            folded[value] = fresh;
            values[value] = std::make_shared<const TensorData>(std::move((*results)[i]));
        }
        ++out.count;
        out.lines.push_back(fmt::format("fold_constants: {} ({})", node->name, node->op));
        out.decisions.push_back({node->name, Verdict::Yes, ReasonCode::FoldedConstant, node->op});
    }
    if (out.count == 0)
        return out;
    editor.removeUnused();
    FW_TRY(out.graph, editor.finish());
    return out;
}

Result<BuiltinResult> eliminateCommon(const GraphPtr& graph, const RewriteOptions& options) {
    BuiltinResult out;
    out.graph = graph;
    GraphEditor editor(*graph);
    std::map<std::string, NodeId> known;
    std::map<ValueRef, ValueRef> forward;
    std::map<NodeId, std::vector<NodeId>> origins; // of those that stand for others
    for (const NodePtr& node : graph->nodes()) {
        if (node->isInput() || node->isUnknown() || !node->bodies.empty())
            continue;
        if (options.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "rewriting was cancelled");
        std::string key = node->op + node->attrs.print();
        if (node->isConstant()) {
            if (node->data->count() > 64)
                continue; // large weights are shared by content when they are packed
            key += node->data->hash().hex();
        }
        for (const ValueRef& input : node->inputs) {
            const auto moved = forward.find(input);
            const ValueRef value = moved == forward.end() ? input : moved->second;
            key += fmt::format(" {}.{}", value.node, value.output);
        }
        const auto [place, isNew] = known.emplace(key, node->id);
        if (isNew)
            continue;
        const Node& first = graph->node(place->second);
        for (std::size_t i = 0; i < node->outputs.size(); ++i) {
            const ValueRef from{node->id, static_cast<int>(i)}, to{first.id, static_cast<int>(i)};
            editor.replaceUses(from, to);
            forward[from] = to;
        }
        std::vector<NodeId>& all = origins.emplace(first.id, first.origins).first->second;
        all.insert(all.end(), node->origins.begin(), node->origins.end());
        if (!node->isConstant()) {
            ++out.count;
            out.lines.push_back(fmt::format("cse: {} is {}", node->name, first.name));
        }
    }
    if (forward.empty())
        return out;
    for (auto& [id, all] : origins)
        editor.setOrigins(id, std::move(all));
    editor.removeUnused();
    FW_TRY(out.graph, editor.finish());
    return out;
}

Builtin findBuiltin(std::string_view name) {
    if (name == "fold_constants")
        return foldConstants;
    if (name == "cse")
        return eliminateCommon;
    return nullptr;
}

const std::vector<std::string>& builtinNames() {
    static const std::vector<std::string> names = {"fold_constants", "cse"};
    return names;
}

Diags checkBuiltin(const BuiltinTree& builtin, const std::string& file) {
    if (findBuiltin(builtin.name) != nullptr)
        return {};
    return {makeDiag(DiagCode::RuleIllegal, "there is no built-in rewrite " + builtin.name,
                     {file, {}, builtin.nameSpan.line, builtin.nameSpan.column},
                     fmt::format("{}", fmt::join(builtinNames(), " or ")))};
}

} // namespace fw
