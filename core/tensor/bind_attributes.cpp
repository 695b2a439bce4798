#include "tensor/bind_attributes.h"

#include "ir/tensor_text.h"
#include "tensor/attribute_check.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fw {

namespace {

Result<NameValue> fallback(const AttrParamTree& attr, TreeEvaluator& shapes) {
    if (!attr.fallback)
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("attribute {} is missing", attr.name));
    if (attr.list && attr.kind == AttrKind::Text)
        return NameValue(textsFromTree(*attr.fallback).value_or(Texts()));
    if (attr.list) {
        FW_TRY(Exprs list, shapes.list(*attr.fallback));
        for (Expr& one : list) // true and false are numbers, an integer for a real is one
            if (one.isInt())
                one = attr.kind == AttrKind::Float ? floatExpr(static_cast<double>(one->integer))
                                                   : intExpr(one->integer);
        return NameValue(std::move(list));
    }
    switch (attr.kind) {
    case AttrKind::Text:
        return NameValue(attr.fallback->text);
    case AttrKind::DType: {
        FW_TRY(const DType dtype, shapes.dtype(*attr.fallback));
        return NameValue(dtype);
    }
    case AttrKind::Float: {
        FW_TRY(Expr value, shapes.scalar(*attr.fallback));
        return NameValue(value.isInt() ? floatExpr(static_cast<double>(value->integer)) : value);
    }
    case AttrKind::Bool:
        if (const auto value = integerFromTree(*attr.fallback))
            return NameValue(boolExpr(*value != 0));
        break;
    case AttrKind::Int:
        if (const auto value = integerFromTree(*attr.fallback))
            return NameValue(intExpr(*value));
        break;
    }
    FW_TRY(Expr value, shapes.scalar(*attr.fallback));
    return NameValue(std::move(value));
}

std::int64_t lengthOf(const NameValue& list) {
    const auto* texts = std::get_if<Texts>(&list);
    return static_cast<std::int64_t>(texts != nullptr ? texts->size()
                                                      : std::get<Exprs>(list).size());
}

// How a value is written that is one of a list, or a list of one.
std::string rightSpelling(const AttrParamTree& attr, const AttrValue& given) {
    const bool number =
        std::holds_alternative<std::int64_t>(given) || std::holds_alternative<double>(given);
    if (attr.list && (number || std::holds_alternative<std::string>(given)))
        return fmt::format("{} = [{}]", attr.name, attrText(given));
    if (const auto* one = std::get_if<Integers>(&given); !attr.list && one && one->size() == 1)
        return fmt::format("{} = {}", attr.name, one->front());
    if (const auto* real = std::get_if<double>(&given);
        real != nullptr && attr.kind == AttrKind::Int && *real == std::floor(*real) &&
        std::fabs(*real) < 1e15)
        return fmt::format("{} = {}", attr.name, static_cast<std::int64_t>(*real));
    return {};
}

Result<NameValue> attrValue(const AttrParamTree& attr, const OpCall& call, TreeEvaluator& shapes) {
    const AttrValue* given = call.attrs.find(attr.name);
    if (given == nullptr)
        return fallback(attr, shapes);
    const Diag wrong =
        makeDiag(DiagCode::UnsupportedAttribute,
                 fmt::format("{} is {}, not {}", attr.name, kindText(attr), attrText(*given)), {},
                 rightSpelling(attr, *given));
    if (attr.list && attr.kind == AttrKind::Text) {
        if (const auto* texts = std::get_if<Texts>(given))
            return NameValue(*texts);
        const auto* none = std::get_if<Integers>(given); // an empty list has no other type
        return none != nullptr && none->empty() ? NameValue(Texts()) : Result<NameValue>(wrong);
    }
    if (attr.list) {
        Exprs out;
        if (const auto* integers = std::get_if<Integers>(given);
            integers != nullptr && attr.kind == AttrKind::Int)
            for (const std::int64_t v : *integers)
                out.push_back(intExpr(v));
        else if (const auto* exprs = std::get_if<Exprs>(given);
                 exprs != nullptr && attr.kind == AttrKind::Int)
            out = *exprs;
        else if (const auto* reals = std::get_if<Reals>(given);
                 reals != nullptr && attr.kind == AttrKind::Float)
            for (const double v : *reals)
                out.push_back(floatExpr(v));
        else if (integers == nullptr || !integers->empty())
            return wrong;
        return NameValue(std::move(out));
    }
    const auto* integer = std::get_if<std::int64_t>(given);
    switch (attr.kind) {
    case AttrKind::Int:
        if (integer != nullptr)
            return NameValue(intExpr(*integer));
        break;
    case AttrKind::Bool:
        if (integer != nullptr && (*integer == 0 || *integer == 1))
            return NameValue(boolExpr(*integer != 0));
        break;
    case AttrKind::Float:
        if (integer != nullptr)
            return NameValue(floatExpr(static_cast<double>(*integer)));
        if (const auto* real = std::get_if<double>(given))
            return NameValue(floatExpr(*real));
        break;
    case AttrKind::Text:
        if (const auto* text = std::get_if<std::string>(given))
            return NameValue(*text);
        break;
    case AttrKind::DType:
        if (const auto* dtype = std::get_if<DType>(given))
            return NameValue(*dtype);
        break;
    }
    return wrong;
}

// Whether the tree names something that is neither an attribute nor a value by itself.
bool speaksOfOperands(const Tree& tree, const OpTree& op) {
    const bool isName =
        tree.isName() && !parseDtype(tree.text) && !integerFromTree(tree) && !numberFromTree(tree);
    if (isName && std::none_of(op.attrs.begin(), op.attrs.end(),
                               [&](const AttrParamTree& attr) { return attr.name == tree.text; }))
        return true;
    return std::any_of(tree.args.begin(), tree.args.end(),
                       [&](const Tree& part) { return speaksOfOperands(part, op); });
}

} // namespace

Status bindAttributes(const OpTree& op, const OpCall& call, TreeEvaluator& shapes, Names& names,
                      BoundSoFar bound) {
    for (const auto& [name, value] : call.attrs)
        if (std::none_of(op.attrs.begin(), op.attrs.end(),
                         [&name = name](const AttrParamTree& attr) { return attr.name == name; }))
            return makeDiag(DiagCode::UnsupportedAttribute,
                            fmt::format("there is no attribute '{}'", name));
    for (const AttrParamTree& attr : op.attrs) {
        const bool waits =
            attr.fallback && !call.attrs.has(attr.name) && speaksOfOperands(*attr.fallback, op);
        if (waits != (bound == BoundSoFar::Operands))
            continue;
        FW_TRY(NameValue value, attrValue(attr, call, shapes));
        if (attr.count)
            if (const std::int64_t count = lengthOf(value); count != *attr.count)
                return makeDiag(
                    DiagCode::UnsupportedAttribute,
                    fmt::format("{} has {} elements, not {}", attr.name, count, *attr.count));
        names[attr.name] = std::move(value);
    }
    return {};
}

bool isOfAttributes(const Tree& tree, const OpTree& op) {
    const auto isAttribute = [&](const std::string& name) {
        return std::any_of(op.attrs.begin(), op.attrs.end(),
                           [&](const AttrParamTree& attr) { return attr.name == name; });
    };
    if (tree.kind == TreeKind::Reduce || ((tree.isName() || tree.kind == TreeKind::Index) &&
                                          !isAttribute(tree.text) && !parseDtype(tree.text)))
        return false;
    return std::all_of(tree.args.begin(), tree.args.end(),
                       [&](const Tree& one) { return isOfAttributes(one, op); });
}

} // namespace fw
