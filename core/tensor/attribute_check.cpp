#include "tensor/attribute_check.h"

#include "ir/tensor_text.h"
#include "tensor/tree_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace fw {

namespace {

constexpr std::int64_t longestList = 1024;

std::string_view oneText(AttrKind kind) {
    switch (kind) {
    case AttrKind::Int:
        return "an integer";
    case AttrKind::Float:
        return "a number";
    case AttrKind::Bool:
        return "true or false";
    case AttrKind::Text:
        return "a text";
    case AttrKind::DType:
        break;
    }
    return "an element type";
}

std::string_view severalText(AttrKind kind) {
    switch (kind) {
    case AttrKind::Int:
        return "integers";
    case AttrKind::Float:
        return "numbers";
    case AttrKind::Bool:
        return "truths";
    case AttrKind::Text:
        return "texts";
    case AttrKind::DType:
        break;
    }
    return "element types";
}

// What is computed without names: 2 * 3.
std::optional<Expr> computed(const Tree& tree, const std::string& file) {
    const Names none;
    const Result<Expr> value = TreeEvaluator(none, file).scalar(tree);
    return value && value->isConstant() ? std::optional(*value) : std::nullopt;
}

// What depends on a call, such as a dimension: the trial of the operator judges it.
bool dependsOnCall(const Tree& tree) {
    const bool isName = tree.isName() && !integerFromTree(tree) && !numberFromTree(tree);
    return isName || std::any_of(tree.args.begin(), tree.args.end(), dependsOnCall);
}

// Whether one value, or one of a list, is of the kind.
bool isOne(AttrKind kind, const Tree& tree, const std::string& file) {
    switch (kind) {
    case AttrKind::Int: {
        const auto value = computed(tree, file);
        return integerFromTree(tree) || (value && value->asInt());
    }
    case AttrKind::Bool: {
        const auto value = integerFromTree(tree);
        return value == 0 || value == 1;
    }
    case AttrKind::Float:
        return integerFromTree(tree) || numberFromTree(tree) || computed(tree, file);
    case AttrKind::Text:
        return tree.kind == TreeKind::Text;
    case AttrKind::DType:
        break;
    }
    return tree.isName() && parseDtype(tree.text).has_value();
}

std::string hintFor(const AttrParamTree& attr, const Tree& written) {
    if (attr.kind == AttrKind::Text)
        return "texts stand in quotes";
    if (!attr.list && written.kind == TreeKind::List)
        return fmt::format("a list is declared as attr {}: {}[{}]", attr.name,
                           attr.kind == AttrKind::Float ? "float" : "int", written.args.size());
    if (attr.list && written.kind != TreeKind::List)
        return fmt::format("a list stands in brackets: attr {} ... = [...]", attr.name);
    if (attr.kind == AttrKind::Int && numberFromTree(written))
        return fmt::format("a number that is no integer is declared as attr {}: float", attr.name);
    if (attr.kind == AttrKind::Bool && integerFromTree(written))
        return fmt::format("a number is declared as attr {}: int", attr.name);
    if (attr.kind == AttrKind::DType)
        return "f32, i64, bool, ...";
    return {};
}

} // namespace

AttrType typeOf(const AttrParamTree& attr) {
    switch (attr.kind) {
    case AttrKind::Int:
        return attr.list ? AttrType::IntList : AttrType::Int;
    case AttrKind::Float:
        return attr.list ? AttrType::FloatList : AttrType::Float;
    case AttrKind::Bool:
        return AttrType::Bool;
    case AttrKind::Text:
        return attr.list ? AttrType::TextList : AttrType::Text;
    case AttrKind::DType:
        break;
    }
    return AttrType::DType;
}

std::string kindText(const AttrParamTree& attr) {
    if (!attr.list)
        return std::string(oneText(attr.kind));
    return fmt::format("a list of {}{}", severalText(attr.kind),
                       attr.count ? fmt::format(", {} of them", *attr.count) : "");
}

Diags checkAttribute(const AttrParamTree& attr, const std::string& file) {
    Diags out;
    const auto refuse = [&](const Span& span, std::string message, std::string hint) {
        out.push_back(makeDiag(DiagCode::TextType, std::move(message),
                               {file, {}, span.line, span.column}, std::move(hint)));
    };
    if (attr.list && (attr.kind == AttrKind::Bool || attr.kind == AttrKind::DType))
        refuse(attr.span, fmt::format("there are no lists of {}", severalText(attr.kind)),
               "int[2], float[], text[]");
    if (attr.count && (*attr.count < 0 || *attr.count > longestList))
        refuse(attr.span, fmt::format("{} is not the length of a list", *attr.count),
               fmt::format("up to {}", longestList));
    if (!attr.fallback || !out.empty())
        return out;
    const Tree& written = *attr.fallback;
    const bool isList = written.kind == TreeKind::List;
    if ((attr.kind == AttrKind::Int || attr.kind == AttrKind::Float) && dependsOnCall(written))
        return out;
    const bool isOfOperand = attr.kind == AttrKind::DType && written.isName() &&
                             !parseDtype(written.text) && isupper(written.text.front()) != 0;
    if (isOfOperand)
        return out;
    if (attr.list != isList ||
        !(isList ? std::all_of(written.args.begin(), written.args.end(),
                               [&](const Tree& one) { return isOne(attr.kind, one, file); })
                 : isOne(attr.kind, written, file)))
        refuse(written.span, fmt::format("the default of {} is not {}", attr.name, kindText(attr)),
               hintFor(attr, written));
    else if (attr.kind == AttrKind::DType && parseDtype(written.text) == DType::Text)
        refuse(written.span,
               fmt::format("the default of {} is text, which no expression computes", attr.name),
               hintFor(attr, written));
    else if (attr.count && *attr.count != static_cast<std::int64_t>(written.args.size()))
        refuse(written.span,
               fmt::format("the default of {} has {} elements, not {}", attr.name,
                           written.args.size(), *attr.count),
               fmt::format("int[] has no length of its own: attr {}: ...[]", attr.name));
    return out;
}

namespace {

// true and false are numbers, too.
std::optional<double> realFromTree(const Tree& tree) {
    const auto integer = integerFromTree(tree);
    return integer ? std::optional(static_cast<double>(*integer)) : numberFromTree(tree);
}

} // namespace

std::optional<AttrValue> defaultOf(const AttrParamTree& attr) {
    const Tree& tree = *attr.fallback;
    if (attr.list && attr.kind == AttrKind::Text) {
        auto texts = textsFromTree(tree);
        return texts ? std::optional(AttrValue(std::move(*texts))) : std::nullopt;
    }
    if (attr.list) {
        Integers integers;
        Reals reals;
        for (const Tree& part : tree.args) {
            const auto integer = integerFromTree(part);
            const auto real = realFromTree(part);
            if (attr.kind == AttrKind::Float ? !real : !integer)
                return std::nullopt;
            attr.kind == AttrKind::Float ? reals.push_back(*real) : integers.push_back(*integer);
        }
        return attr.kind == AttrKind::Float ? AttrValue(std::move(reals))
                                            : AttrValue(std::move(integers));
    }
    switch (attr.kind) {
    case AttrKind::Int:
    case AttrKind::Bool:
        if (const auto value = integerFromTree(tree))
            return AttrValue(*value);
        return std::nullopt;
    case AttrKind::Float:
        if (const auto value = realFromTree(tree))
            return AttrValue(*value);
        return std::nullopt;
    case AttrKind::Text:
        return tree.kind == TreeKind::Text ? std::optional(AttrValue(tree.text)) : std::nullopt;
    case AttrKind::DType:
        if (const auto value = parseDtype(tree.text))
            return AttrValue(*value);
        return std::nullopt;
    }
    return std::nullopt;
}

} // namespace fw
