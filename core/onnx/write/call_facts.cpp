#include "onnx/write/call_facts.h"

#include <algorithm>

#include <fmt/format.h>

namespace fw {

namespace {

bool isPack(const DimTree& dim) {
    return dim.value.kind == TreeKind::Pack;
}

std::optional<AttrValue> attribute(const Operator& op, const Node& call, const std::string& name) {
    const AttrValue* given = call.attrs.find(name);
    return given != nullptr ? std::optional(*given) : op.attrDefault(name);
}

// The axes that an attribute names, counted from the front, in order; empty if there are none.
Integers namedAxes(const std::optional<AttrValue>& value, std::size_t rank) {
    Integers out;
    if (!value)
        return out;
    if (const auto* one = std::get_if<std::int64_t>(&*value))
        out = {*one};
    else if (const auto* list = std::get_if<Integers>(&*value))
        out = *list;
    for (std::int64_t& axis : out)
        axis += axis < 0 ? static_cast<std::int64_t>(rank) : 0;
    std::sort(out.begin(), out.end());
    return out;
}

// The ranks of the packs of one operand, as far as they can be told.
std::map<std::string, std::size_t> ranksOf(const ParamTree& param, const Operator& op,
                                           const Node& call, std::size_t rank) {
    std::map<std::string, std::size_t> out;
    const auto& dims = param.type.dims;
    const auto packs = static_cast<std::size_t>(std::count_if(dims.begin(), dims.end(), isPack));
    const std::size_t singles = dims.size() - packs;
    if (packs == 1) {
        const auto pack = std::find_if(dims.begin(), dims.end(), isPack);
        if (rank >= singles)
            out[dimName(*pack)] = rank - singles;
        return out;
    }
    const auto picked = std::find_if(dims.begin(), dims.end(),
                                     [](const DimTree& dim) { return !dim.axis.empty(); });
    if (picked == dims.end())
        return out;
    const Integers axes = namedAxes(attribute(op, call, picked->axis), rank);
    // P..., D@axis, Q... and nothing else: what lies before and behind the axes.
    if (axes.empty() || dims.size() > 3 || (isPack(*picked) ? singles > 0 : singles > 1))
        return out;
    const auto before = static_cast<std::size_t>(axes.front());
    if (isPack(*picked))
        out[dimName(*picked)] = axes.size();
    if (picked != dims.begin())
        out[dimName(dims.front())] = before;
    if (picked + 1 != dims.end() && before + axes.size() <= rank)
        out[dimName(dims.back())] = rank - before - axes.size();
    return out;
}

} // namespace

ElementKind kindOf(DType dtype) {
    return isFloat(dtype)         ? ElementKind::Float
           : dtype == DType::Bool ? ElementKind::Truth
           : isInteger(dtype)     ? ElementKind::Integer
                                  : ElementKind::Mixed;
}

std::string dimName(const DimTree& dim) {
    const Tree& tree = isPack(dim) ? dim.value.args[0] : dim.value;
    if (tree.kind == TreeKind::Int)
        return std::to_string(tree.integer);
    return tree.isName() ? tree.text : std::string();
}

Result<CallFacts> factsOfCalls(const OpTree& tree, const Operator& op, const Graph& graph,
                               std::span<const Node* const> calls) {
    CallFacts out;
    for (const Node* call : calls)
        for (std::size_t i = 0; i < tree.params.size(); ++i) {
            const ParamTree& param = tree.params[i];
            if (param.variadic)
                return makeDiag(DiagCode::UnsupportedAttribute,
                                fmt::format("'{}' is any number of operands", param.name));
            const bool given = i < call->inputs.size() && call->inputs[i].valid();
            if (param.optional && out.given.emplace(param.name, given).first->second != given)
                return makeDiag(DiagCode::UnsupportedAttribute,
                                fmt::format("some calls give '{}' and others do not", param.name));
            if (!given)
                continue;
            const TensorType& type = graph.type(call->inputs[i]);
            const auto kind = out.kinds.emplace(param.type.dtype, kindOf(type.dtype)).first;
            if (kind->second != kindOf(type.dtype))
                kind->second = ElementKind::Mixed;
            if (param.bcast)
                continue;
            for (const auto& [pack, rank] : ranksOf(param, op, *call, type.rank())) {
                const auto known = out.ranks.emplace(pack, rank).first;
                if (known->second != rank)
                    known->second.reset();
            }
        }
    return out;
}

} // namespace fw
