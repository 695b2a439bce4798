#include "condition/value.h"

#include <fmt/format.h>

#include <cmath>

namespace fw {

std::string_view kindNoun(TermKind kind) {
    switch (kind) {
    case TermKind::Integer:
        return "an integer";
    case TermKind::Real:
        return "a number";
    case TermKind::Text:
        return "a text";
    case TermKind::DType:
        return "an element type";
    case TermKind::IntegerList:
        return "a list of integers";
    case TermKind::RealList:
        return "a list of numbers";
    case TermKind::Tensor:
        return "a value";
    case TermKind::Truth:
        return "a truth";
    case TermKind::Any:
        break;
    }
    return "anything";
}

std::optional<TermValue> valueOf(const AttrValue& attr) {
    if (const auto* integer = std::get_if<std::int64_t>(&attr))
        return Expr(*integer);
    if (const auto* real = std::get_if<double>(&attr))
        return *real;
    if (const auto* text = std::get_if<std::string>(&attr))
        return *text;
    if (const auto* dtype = std::get_if<DType>(&attr))
        return *dtype;
    if (const auto* list = std::get_if<Integers>(&attr))
        return Exprs(list->begin(), list->end());
    if (const auto* reals = std::get_if<Reals>(&attr))
        return *reals;
    if (const auto* shape = std::get_if<Exprs>(&attr))
        return *shape;
    return std::nullopt;
}

std::optional<AttrValue> attributeOf(const TermValue& value) {
    if (const auto* expr = std::get_if<Expr>(&value)) {
        const auto integer = expr->asInt();
        return integer ? std::optional(AttrValue(*integer)) : std::nullopt;
    }
    if (const auto* real = std::get_if<double>(&value))
        return AttrValue(*real);
    if (const auto* text = std::get_if<std::string>(&value))
        return AttrValue(*text);
    if (const auto* dtype = std::get_if<DType>(&value))
        return AttrValue(*dtype);
    if (const auto* reals = std::get_if<Reals>(&value))
        return AttrValue(*reals);
    if (const auto* list = std::get_if<Exprs>(&value)) {
        Integers integers;
        for (const Expr& item : *list)
            if (const auto integer = item.asInt())
                integers.push_back(*integer);
        return integers.size() == list->size() ? AttrValue(std::move(integers)) : AttrValue(*list);
    }
    return std::nullopt;
}

std::optional<double> numberOf(const TermValue& value) {
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    const auto* expr = std::get_if<Expr>(&value);
    const auto integer = expr != nullptr ? expr->asInt() : std::nullopt;
    return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
}

bool sameReal(double a, double b) {
    const float narrow = static_cast<float>(a);
    return a == b || (narrow == static_cast<float>(b) && narrow != 0 && std::isfinite(narrow));
}

std::string textOf(const TermValue& value) {
    if (const auto* tensor = std::get_if<TensorValue>(&value))
        return tensor->type().text();
    if (const auto* expr = std::get_if<Expr>(&value))
        return expr->text();
    if (const auto* list = std::get_if<Exprs>(&value))
        return shapeText(*list);
    if (const auto* real = std::get_if<double>(&value))
        return fmt::format("{}", *real);
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    if (const auto* dtype = std::get_if<DType>(&value))
        return std::string(dtypeText(*dtype));
    if (const auto* reals = std::get_if<Reals>(&value))
        return fmt::format("[{}]", fmt::join(*reals, ", "));
    if (const auto* truth = std::get_if<bool>(&value))
        return *truth ? "yes" : "no";
    return "absent";
}

TermKind kindOf(AttrType type) {
    switch (type) {
    case AttrType::Int:
    case AttrType::Bool:
        return TermKind::Integer;
    case AttrType::Float:
        return TermKind::Real;
    case AttrType::Text:
        return TermKind::Text;
    case AttrType::DType:
        return TermKind::DType;
    case AttrType::IntList:
    case AttrType::Dims:
        return TermKind::IntegerList;
    case AttrType::FloatList:
        return TermKind::RealList;
    case AttrType::TextList:
    case AttrType::Tensor:
    case AttrType::Any:
        break;
    }
    return TermKind::Any;
}

} // namespace fw
