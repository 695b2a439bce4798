#include "condition/condition.h"

#include "expr/simplify.h"
#include "ir/missing_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace fw {

namespace {

using Given = std::vector<TermValue>;
using FunctionValue = std::optional<TermValue>;

const TensorValue& tensor(const Given& given) {
    return std::get<TensorValue>(given[0]);
}

// Of the first value among these whose shape is made up; its element type, if that is asked.
std::string missing(const Given& given, bool element) {
    for (const TermValue& one : given)
        if (const auto* value = std::get_if<TensorValue>(&one))
            if (const auto type = missingType(*value->graph, value->ref);
                type && (type->element || !element))
                return type->why;
    return {};
}
std::string noShape(const Given& given) {
    return missing(given, false);
}
std::string noElementType(const Given& given) {
    return missing(given, true);
}

FunctionValue rank(const Given& given) {
    if (const auto* list = std::get_if<Exprs>(&given[0]))
        return Expr(static_cast<std::int64_t>(list->size()));
    if (!noShape(given).empty())
        return std::nullopt;
    return Expr(static_cast<std::int64_t>(tensor(given).type().rank()));
}

FunctionValue dim(const Given& given) {
    if (!noShape(given).empty())
        return std::nullopt;
    const Shape& shape = tensor(given).type().shape;
    const auto index = std::get<Expr>(given[1]).asInt();
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= shape.size())
        return std::nullopt;
    return shape[static_cast<std::size_t>(*index)];
}

FunctionValue extents(const Given& given) {
    if (!noShape(given).empty())
        return std::nullopt;
    return tensor(given).type().shape;
}

FunctionValue dtype(const Given& given) {
    if (!noElementType(given).empty())
        return std::nullopt;
    return tensor(given).type().dtype;
}

FunctionValue product(const Exprs& factors) {
    Expr out(1);
    for (const Expr& factor : factors)
        out = simplify(out * factor);
    return out;
}

FunctionValue size(const Given& given) {
    if (const auto* list = std::get_if<Exprs>(&given[0]))
        return product(*list);
    if (!noShape(given).empty())
        return std::nullopt;
    return product(tensor(given).type().shape);
}

FunctionValue isConst(const Given& given) {
    return tensor(given).graph->constant(tensor(given).ref) != nullptr;
}

FunctionValue usedOnce(const Given& given) {
    const TensorValue& value = tensor(given);
    return value.graph->uses(value.ref).size() + (value.graph->isResult(value.ref) ? 1 : 0) == 1;
}

FunctionValue nameOf(const Given& given) {
    return tensor(given).graph->node(tensor(given).ref.node).name;
}

FunctionValue notResult(const Given& given) {
    return !tensor(given).graph->isResult(tensor(given).ref);
}

FunctionValue readers(const Given& given) {
    std::set<NodeId> nodes;
    for (const Use& use : tensor(given).graph->uses(tensor(given).ref))
        nodes.insert(use.node);
    return Expr(static_cast<std::int64_t>(nodes.size()));
}

FunctionValue usedOnlyBy(const Given& given) {
    const TensorValue& value = tensor(given);
    const auto uses = value.graph->uses(value.ref);
    const NodeId reader = std::get<TensorValue>(given[1]).ref.node;
    return !uses.empty() && !value.graph->isResult(value.ref) &&
           std::all_of(uses.begin(), uses.end(),
                       [&](const Use& use) { return use.node == reader; });
}

FunctionValue splat(const Given& given) {
    const TensorData* data = tensor(given).graph->constant(tensor(given).ref);
    if (data == nullptr || data->count() == 0)
        return false;
    for (std::size_t i = 1; i < data->count(); ++i)
        if (data->at(i) != data->at(0))
            return false;
    return true;
}

// Aligned at the end as NumPy does, every extent of v is 1 but that on axis i of x.
FunctionValue alongAxis(const Given& given) {
    if (!noShape(given).empty())
        return std::nullopt;
    const Shape &small = tensor(given).type().shape,
                &large = std::get<TensorValue>(given[1]).type().shape;
    const auto axis = std::get<Expr>(given[2]).asInt();
    const auto rank = static_cast<std::int64_t>(large.size());
    if (!axis || *axis < -rank || *axis >= rank)
        return std::nullopt;
    if (small.size() > large.size())
        return false;
    const std::size_t wanted = static_cast<std::size_t>(*axis < 0 ? *axis + rank : *axis);
    for (std::size_t i = 0; i < small.size(); ++i)
        if (i + large.size() - small.size() != wanted && !small[i].isInt(1))
            return false;
    return true;
}

FunctionValue finite(const Given& given) {
    const TensorData* data = tensor(given).graph->constant(tensor(given).ref);
    if (data == nullptr)
        return false;
    for (std::size_t i = 0; i < data->count(); ++i)
        if (!std::isfinite(data->at(i)))
            return false;
    return true;
}

constexpr std::size_t mostElements = 1024; // of a constant that is read as a list

// One number where there is one element, whatever the rank; else a list of a constant with one
// axis.
FunctionValue constantValue(const Given& given) {
    const TensorData* data = tensor(given).graph->constant(tensor(given).ref);
    if (data == nullptr)
        return std::nullopt;
    const bool isReal = isFloat(data->dtype());
    if (data->count() == 1)
        return isReal ? TermValue(data->at(0)) : TermValue(Expr(data->integerAt(0)));
    if (data->extents().size() != 1 || data->count() > mostElements)
        return std::nullopt;
    if (isReal)
        return data->toDoubles();
    const Integers integers = data->toIntegers();
    return Exprs(integers.begin(), integers.end());
}

std::string noConstantValue(const Given& given) {
    const TensorData* data = tensor(given).graph->constant(tensor(given).ref);
    if (data == nullptr)
        return "it is no constant";
    return fmt::format("{} is neither one element nor a list of at most {}", data->type().text(),
                       mostElements);
}

// Arithmetic, which is computed with that of the signs.
FunctionValue extremum(const Given&) {
    return std::nullopt;
}

} // namespace

const std::vector<ConditionFunction>& conditionFunctions() {
    using K = TermKind;
    static const std::vector<ConditionFunction> functions = {
        {"rank", {K::Any}, K::Integer, "how many axes a value or a pack has", rank, noShape},
        {"dim",
         {K::Tensor, K::Integer},
         K::Integer,
         "dim(v, i): an extent of a value",
         dim,
         noShape},
        {"extents", {K::Tensor}, K::IntegerList, "all extents of a value", extents, noShape},
        {"dtype", {K::Tensor}, K::DType, "the element type of a value", dtype, noElementType},
        {"size",
         {K::Any},
         K::Integer,
         "the product of the extents of a value or of a pack",
         size,
         noShape},
        {"const", {K::Tensor}, K::Truth, "the value is a constant", isConst},
        {"used_once", {K::Tensor}, K::Truth, "only one operator reads the value", usedOnce},
        {"not_result", {K::Tensor}, K::Truth, "the value is no result of the model", notResult},
        {"used_only_by",
         {K::Tensor, K::Tensor},
         K::Truth,
         "used_only_by(v, n): nothing but the operator that computes n reads v",
         usedOnlyBy},
        {"readers", {K::Tensor}, K::Integer, "how many operators read the value", readers},
        {"name",
         {K::Tensor},
         K::Text,
         "the name that the operator which computes the value has in the model",
         nameOf},
        {"splat", {K::Tensor}, K::Truth, "a constant whose elements are all equal", splat},
        {"along",
         {K::Tensor, K::Tensor, K::Integer},
         K::Truth,
         "along(v, x, i): broadcast to x, v differs along axis i of x only",
         alongAxis,
         noShape},
        {"finite", {K::Tensor}, K::Truth, "a constant without infinities and NaN", finite},
        {"value",
         {K::Tensor},
         K::Any,
         "the number that a constant holds, or the numbers of one with one axis",
         constantValue,
         noConstantValue},
        {"min",
         {K::Any, K::Any},
         K::Any,
         "min(a, b): the smaller number; of lists element by element",
         extremum},
        {"max",
         {K::Any, K::Any},
         K::Any,
         "max(a, b): the larger number; of lists element by element",
         extremum},
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
