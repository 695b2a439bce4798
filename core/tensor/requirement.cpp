#include "tensor/requirement.h"

#include "tensor/attribute_check.h"
#include "tensor/contradiction.h"
#include "tensor/demand.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

namespace fw {

namespace {

Vocabulary vocabularyOf(const OpTree& op) {
    Vocabulary out;
    out.bind = "the operands and attributes bind";
    for (const AttrParamTree& attr : op.attrs)
        out.names.emplace(attr.name, kindOf(typeOf(attr)));
    for (const ParamTree& param : op.params) {
        addDims(param.type, out);
        if (!parseDtype(param.type.dtype))
            out.names.emplace(param.type.dtype, TermKind::DType);
    }
    for (const ParamTree& param : op.params) // an element
        if (!param.variadic)
            out.names.emplace(param.name, TermKind::Any);
    return out;
}

// Attributes stand in names as leaves of expressions.
TermValue termOf(const Expr& expr) {
    if (expr.op() == ExprOp::Float)
        return expr->real;
    return expr.dtype() == DType::Bool && expr.isInt() ? Expr(expr->integer) : expr;
}

TermValue termOf(const NameValue& value) {
    if (const auto* dtype = std::get_if<DType>(&value))
        return *dtype;
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    if (const auto* one = std::get_if<Expr>(&value))
        return termOf(*one);
    if (std::holds_alternative<Texts>(value))
        return {}; // nothing is said of them
    const Exprs& list = std::get<Exprs>(value);
    Reals reals;
    for (const Expr& item : list)
        if (item.op() == ExprOp::Float)
            reals.push_back(item->real);
    return !list.empty() && reals.size() == list.size() ? TermValue(std::move(reals))
                                                        : TermValue(list);
}

Scope scopeOf(const Names& names) {
    Scope out;
    out.restIsAbsent = true; // operands, and the dims of those that are not given
    for (const auto& [name, value] : names)
        out.names.emplace(name, termOf(value));
    return out;
}

bool saysName(const Tree& tree, const std::string& name) {
    return tree.isName(name) || std::any_of(tree.args.begin(), tree.args.end(),
                                            [&](const Tree& part) { return saysName(part, name); });
}

// A dim or an attribute of the same name goes first.
bool isElement(const OpTree& op, const ParamTree& param, const Tree& condition) {
    Vocabulary dims;
    for (const ParamTree& one : op.params)
        addDims(one.type, dims);
    return !param.variadic && saysName(condition, param.name) && !dims.names.contains(param.name) &&
           std::none_of(op.attrs.begin(), op.attrs.end(),
                        [&](const AttrParamTree& attr) { return attr.name == param.name; });
}

std::vector<std::size_t> operandsIn(const OpTree& op, const Tree& condition) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < op.params.size(); ++i)
        if (isElement(op, op.params[i], condition))
            out.push_back(i);
    return out;
}

TermValue elementAt(const TensorData& data, std::size_t at) {
    return isFloat(data.dtype()) ? TermValue(data.at(at)) : TermValue(Expr(data.integerAt(at)));
}

// The first element that does not meet it, or what all ask of free dimensions.
std::optional<ElementDemand> demandOf(const OpTree& op, const ConditionTree& requirement,
                                      Scope scope, const std::vector<const TensorData*>& known) {
    const std::vector<std::size_t> operands = operandsIn(op, requirement.tree);
    for (const std::size_t operand : operands) {
        const TensorData* data = operand < known.size() ? known[operand] : nullptr;
        if (data == nullptr || data->dtype() == DType::Text ||
            (operands.size() > 1 && data->count() != 1))
            return std::nullopt;
        if (operands.size() > 1)
            scope.names.insert_or_assign(op.params[operand].name, elementAt(*data, 0));
    }
    if (operands.empty())
        return std::nullopt;
    const TensorData& data = *known[operands.front()];
    std::optional<ElementDemand> out;
    std::set<std::string> judged;
    for (std::size_t i = 0; i < data.count(); ++i) {
        const TermValue element = elementAt(data, i);
        if (!judged.insert(textOf(element)).second)
            continue;
        scope.names.insert_or_assign(op.params[operands.front()].name, element);
        const ConditionResult found = decide(requirement, scope);
        if (found.truth == Truth::Yes || (found.truth == Truth::Unknown && !found.open))
            continue;
        ElementDemand here{operands.front(), i,          textOf(element),
                           requirement.text, found.seen, found.open.value_or(boolExpr(false))};
        if (found.truth == Truth::No)
            return here;
        here.condition = out ? andExpr(out->condition, here.condition) : here.condition;
        out = std::move(here);
    }
    return out;
}

} // namespace

bool requiresOfElements(const OpTree& op) {
    return std::any_of(op.requirements.begin(), op.requirements.end(),
                       [&](const ConditionTree& requirement) {
                           return !operandsIn(op, requirement.tree).empty();
                       });
}

std::vector<ElementDemand> demandsOfElements(const OpTree& op, const Names& names,
                                             const std::vector<const TensorData*>& known) {
    std::vector<ElementDemand> out;
    for (const ConditionTree& requirement : op.requirements)
        if (auto demand = demandOf(op, requirement, scopeOf(names), known))
            out.push_back(std::move(*demand));
    return out;
}

Diags checkRequirements(const OpTree& op, const std::string& file) {
    Diags out;
    const Vocabulary known = vocabularyOf(op);
    for (const ConditionTree& requirement : op.requirements)
        for (Diag& diag : checkCondition(requirement.tree, known, file))
            out.push_back(std::move(diag));
    return out.empty() ? checkContradictions(op, file) : out;
}

Result<std::vector<Assumption>> demandRequirements(const OpTree& op, const Names& names) {
    std::vector<Assumption> out;
    if (op.requirements.empty())
        return out;
    const Scope scope = scopeOf(names);
    for (const ConditionTree& requirement : op.requirements) {
        const ConditionResult found = decide(requirement, scope);
        const std::string seen = found.seen.empty() ? "" : ": " + found.seen;
        if (found.truth == Truth::Yes)
            continue;
        if (found.truth == Truth::Unknown && !found.open)
            return makeDiag(DiagCode::ShapeMismatch,
                            fmt::format("{} cannot be decided{}", requirement.text, seen));
        FW_CHECK(demand(out, found.open.value_or(boolExpr(false)),
                        fmt::format("{} must hold{}", requirement.text, seen)));
    }
    return out;
}

bool asksOf(const OpTree& op, const Names& names, const Shape& shape) {
    const auto isOf = [&](const Expr& value) {
        const std::set<Symbol> vars = freeVars(value);
        return std::any_of(shape.begin(), shape.end(), [&](const Dim& dim) {
            const std::set<Symbol> own = freeVars(dim);
            return dim.isInt(0) ? value.isInt(0)
                                : std::any_of(own.begin(), own.end(),
                                              [&](Symbol var) { return vars.contains(var); });
        });
    };
    const std::function<bool(const Tree&)> speaks = [&](const Tree& tree) {
        if (tree.kind == TreeKind::Name)
            if (const auto named = names.find(tree.text); named != names.end()) {
                if (const auto* one = std::get_if<Expr>(&named->second); one && isOf(*one))
                    return true;
                if (const auto* all = std::get_if<Exprs>(&named->second);
                    all && std::any_of(all->begin(), all->end(), isOf))
                    return true;
            }
        return std::any_of(tree.args.begin(), tree.args.end(), speaks);
    };
    return std::any_of(op.requirements.begin(), op.requirements.end(),
                       [&](const ConditionTree& one) { return speaks(one.tree); });
}

} // namespace fw
