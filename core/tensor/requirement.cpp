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

} // namespace

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
    Scope scope;
    scope.restIsAbsent = true; // the dims of operands that are not given
    for (const auto& [name, value] : names)
        scope.names.emplace(name, termOf(value));
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
