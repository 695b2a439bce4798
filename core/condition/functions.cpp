#include "condition/condition.h"

#include "expr/simplify.h"

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

using Given = std::vector<TermValue>;
using Answer = std::optional<TermValue>;

const TensorValue& tensor(const Given& given) {
    return std::get<TensorValue>(given[0]);
}

Answer rank(const Given& given) {
    return Expr(static_cast<std::int64_t>(tensor(given).type().rank()));
}

Answer dim(const Given& given) {
    const Shape& shape = tensor(given).type().shape;
    const auto index = std::get<Expr>(given[1]).asInt();
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= shape.size())
        return std::nullopt;
    return shape[static_cast<std::size_t>(*index)];
}

Answer dtype(const Given& given) {
    return tensor(given).type().dtype;
}

Answer product(const Exprs& factors) {
    Expr out(1);
    for (const Expr& factor : factors)
        out = simplify(out * factor);
    return out;
}

Answer size(const Given& given) {
    if (const auto* list = std::get_if<Exprs>(&given[0]))
        return product(*list);
    return product(tensor(given).type().shape);
}

Answer isConst(const Given& given) {
    return tensor(given).graph->constant(tensor(given).ref) != nullptr;
}

Answer usedOnce(const Given& given) {
    const TensorValue& value = tensor(given);
    return value.graph->uses(value.ref).size() + (value.graph->isResult(value.ref) ? 1 : 0) == 1;
}

Answer notResult(const Given& given) {
    return !tensor(given).graph->isResult(tensor(given).ref);
}

Answer finite(const Given& given) {
    const TensorData* data = tensor(given).graph->constant(tensor(given).ref);
    if (data == nullptr)
        return false;
    for (std::size_t i = 0; i < data->count(); ++i)
        if (!std::isfinite(data->at(i)))
            return false;
    return true;
}

Answer least(const Given& given) {
    return simplify(minExpr(std::get<Expr>(given[0]), std::get<Expr>(given[1])));
}

Answer greatest(const Given& given) {
    return simplify(maxExpr(std::get<Expr>(given[0]), std::get<Expr>(given[1])));
}

} // namespace

const std::vector<ConditionFunction>& conditionFunctions() {
    using K = TermKind;
    static const std::vector<ConditionFunction> functions = {
        {"rank", {K::Tensor}, K::Integer, "how many axes a value has", rank},
        {"dim", {K::Tensor, K::Integer}, K::Integer, "dim(v, i): an extent of a value", dim},
        {"dtype", {K::Tensor}, K::DType, "the element type of a value", dtype},
        {"size", {K::Any}, K::Integer, "the product of the extents of a value or of a pack", size},
        {"const", {K::Tensor}, K::Truth, "the value is a constant", isConst},
        {"used_once", {K::Tensor}, K::Truth, "only one operator reads the value", usedOnce},
        {"not_result", {K::Tensor}, K::Truth, "the value is no result of the model", notResult},
        {"finite", {K::Tensor}, K::Truth, "a constant without infinities and NaN", finite},
        {"min", {K::Integer, K::Integer}, K::Integer, "the smaller one", least},
        {"max", {K::Integer, K::Integer}, K::Integer, "the larger one", greatest},
    };
    return functions;
}

const ConditionFunction* conditionFunction(std::string_view name) {
    const auto& all = conditionFunctions();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

} // namespace fw
