#include "ir/tensor_text.h"

#include "base/numbers.h"
#include "expr/scalar.h"
#include "syntax/foreign_words.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace fw {

namespace {

constexpr std::int64_t largestConstant = std::int64_t(1) << 28;

} // namespace

bool holdsInteger(DType dtype, std::int64_t value) {
    const auto within = [&](auto low, auto high) {
        return value >= static_cast<std::int64_t>(low) && value <= static_cast<std::int64_t>(high);
    };
    switch (dtype) {
    case DType::Bool:
        return within(0, 1);
    case DType::I8:
        return within(INT8_MIN, INT8_MAX);
    case DType::U8:
        return within(0, UINT8_MAX);
    case DType::I16:
        return within(INT16_MIN, INT16_MAX);
    case DType::U16:
        return within(0, UINT16_MAX);
    case DType::I32:
        return within(INT32_MIN, INT32_MAX);
    case DType::U32:
        return within(0, UINT32_MAX);
    case DType::U64:
        return value >= 0;
    case DType::I64:
        return true;
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64:
    case DType::Text:
        return false;
    }
    return false;
}

std::optional<double> numberFromTree(const Tree& tree) {
    if (tree.kind == TreeKind::Int)
        return tree.text.empty() ? static_cast<double>(tree.integer) : parseNumber(tree.text);
    if (tree.kind == TreeKind::Float)
        return tree.real;
    if (tree.isName("inf"))
        return std::numeric_limits<double>::infinity();
    if (tree.isName("nan"))
        return std::numeric_limits<double>::quiet_NaN();
    if (tree.kind == TreeKind::Unary && tree.text == "-")
        if (const auto inner = numberFromTree(tree.args.at(0)))
            return -*inner;
    return std::nullopt;
}

std::optional<std::int64_t> integerFromTree(const Tree& tree) {
    if (tree.kind == TreeKind::Int)
        return tree.text.empty() ? std::optional(tree.integer) : std::nullopt;
    if (tree.isName("true") || tree.isName("false"))
        return tree.text == "true" ? 1 : 0;
    if (tree.kind == TreeKind::Unary && tree.text == "-")
        if (const auto inner = integerFromTree(tree.args.at(0)); inner && *inner != INT64_MIN)
            return -*inner;
    return std::nullopt;
}

namespace {

// The bits of one element, also of those that no expression has (syntax/graph.cpp).
std::optional<std::int64_t> elementFromTree(const Tree& tree, DType dtype) {
    if (tree.kind == TreeKind::Int && !tree.text.empty()) {
        const char* end = tree.text.data() + tree.text.size();
        if (dtype == DType::I64)
            return parseInteger(tree.text);
        std::uint64_t high = 0;
        const auto read = std::from_chars(tree.text.data(), end, high);
        if (dtype == DType::U64 && read.ec == std::errc() && read.ptr == end)
            return static_cast<std::int64_t>(high);
        return std::nullopt;
    }
    const auto value = integerFromTree(tree);
    return value && holdsInteger(dtype, *value) ? value : std::nullopt;
}

} // namespace

std::optional<std::vector<std::string>> textsFromTree(const Tree& tree) {
    std::vector<std::string> out;
    for (const Tree& part : tree.args) {
        if (part.kind != TreeKind::Text)
            return std::nullopt;
        out.push_back(part.text);
    }
    return tree.kind == TreeKind::List ? std::optional(std::move(out)) : std::nullopt;
}

std::string numberText(double value, DType dtype) {
    if (dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16) {
        // The shortest text of the float, unless rounding it twice leads elsewhere.
        std::string text = fmt::format("{}", static_cast<float>(value));
        const auto back = parseNumber(text);
        if (back && static_cast<double>(static_cast<float>(*back)) == value)
            return text;
    }
    return numberText(value);
}

std::string elementText(const TensorData& data, std::size_t i) {
    if (isFloat(data.dtype()))
        return numberText(data.at(i), data.dtype());
    return data.dtype() == DType::U64
               ? fmt::format("{}", static_cast<std::uint64_t>(data.integerAt(i)))
               : fmt::format("{}", data.integerAt(i));
}

std::optional<std::string> elementsText(const TensorData& data, std::size_t most) {
    if (data.dtype() == DType::Text || data.count() > most)
        return std::nullopt;
    const bool real = isFloat(data.dtype());
    std::vector<double> numbers = real ? data.toDoubles() : std::vector<double>();
    for (double& number : numbers)
        if (std::isnan(number))
            number = std::numeric_limits<double>::quiet_NaN(); // as it is read
    const TensorData back = real
                                ? dataFromDoubles(data.dtype(), data.extents(), numbers)
                                : dataFromIntegers(data.dtype(), data.extents(), data.toIntegers());
    if (!(back == data))
        return std::nullopt;
    std::string out = "[";
    for (std::size_t i = 0; i < data.count(); ++i) {
        out += i > 0 ? ", " : "";
        if (!real && data.dtype() != DType::U64 && !holdsInteger(data.dtype(), data.integerAt(i)))
            return std::nullopt;
        out += elementText(data, i);
    }
    return out + "]";
}

Result<std::vector<std::int64_t>> constantExtents(const TensorType& type) {
    auto extents = fixedExtents(type.shape);
    if (!extents)
        return makeDiag(DiagCode::DimUnbound, "a constant has no free dimension: " + type.text());
    FW_TRY(const std::int64_t count, checkedCount(*extents));
    if (count > largestConstant)
        return makeDiag(DiagCode::LimitReached, "the constant is too large: " + type.text());
    return std::move(*extents);
}

Result<TensorData> tensorFromTree(const TensorType& type, const Tree& elements,
                                  const std::string& file) {
    const Where where{file, {}, elements.span.line, elements.span.column};
    Result<std::vector<std::int64_t>> extents = constantExtents(type);
    if (!extents)
        return extents.takeDiag().at(where);
    const std::int64_t count = *checkedCount(*extents);
    if (elements.kind != TreeKind::List || static_cast<std::int64_t>(elements.args.size()) != count)
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} has {} elements, {} are written", type.text(), count,
                                    elements.args.size()),
                        where);
    if (type.dtype == DType::Text)
        return makeDiag(DiagCode::TextType, "elements of text cannot be written", where);
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    for (const Tree& element : elements.args) {
        const Where place{file, {}, element.span.line, element.span.column};
        if (isFloat(type.dtype)) {
            const auto value = numberFromTree(element);
            if (!value)
                return makeDiag(DiagCode::TextType, "a number expected", place);
            if (std::isfinite(*value) && std::isinf(roundReal(type.dtype, *value)))
                return makeDiag(
                    DiagCode::TextType,
                    fmt::format("{} is larger than every {}", *value, dtypeText(type.dtype)), place,
                    "inf is written as inf");
            reals.push_back(*value);
        } else {
            const auto value = elementFromTree(element, type.dtype);
            if (!value)
                return makeDiag(
                    DiagCode::TextType,
                    fmt::format("an element of type {} expected", dtypeText(type.dtype)), place);
            integers.push_back(*value);
        }
    }
    return isFloat(type.dtype) ? dataFromDoubles(type.dtype, std::move(*extents), reals)
                               : dataFromIntegers(type.dtype, std::move(*extents), integers);
}

Diags checkSignatureType(const TypeTree& type, const std::string& file) {
    Diags out;
    if (!parseDtype(type.dtype) && !isTypeVariable(type.dtype))
        out.push_back(makeDiag(
            DiagCode::TextName, "there is no element type " + type.dtype,
            {file, {}, type.span.line, type.span.column},
            elementTypeHint(type.dtype, "f32, i64, bool, ...; a name that stands for any begins "
                                        "with a capital: T[N]")));
    for (const DimTree& dim : type.dims)
        if (const auto extent = integerFromTree(dim.value); extent && *extent < 0)
            out.push_back(makeDiag(DiagCode::ShapeMismatch, fmt::format("no extent is {}", *extent),
                                   {file, {}, dim.value.span.line, dim.value.span.column},
                                   "any extent has a name: N; any number of axes S..."));
    return out;
}

Result<TensorType> typeFromTree(const TypeTree& tree, const ExprScope& scope) {
    const auto dtype = parseDtype(tree.dtype);
    if (!dtype)
        return makeDiag(DiagCode::TextType, "'" + tree.dtype + "' is not an element type",
                        {scope.file, {}, tree.span.line, tree.span.column},
                        elementTypeHint(tree.dtype, "f32, i64, bool, ..."));
    TensorType type;
    type.dtype = *dtype;
    for (const DimTree& dim : tree.dims) {
        const Where where{scope.file, {}, dim.value.span.line, dim.value.span.column};
        FW_TRY(Expr extent, elaborateExpr(dim.value, scope));
        const auto fixed = extent.asInt();
        if (!dim.axis.empty() || extent.dtype() != DType::I64 || hasLoad(extent) ||
            (freeVars(extent).empty() && !fixed))
            return makeDiag(DiagCode::TextType, "this is not a dimension", where);
        if (fixed && *fixed < 0)
            return makeDiag(DiagCode::ShapeMismatch, fmt::format("a dimension is {}", *fixed),
                            where, "a free dimension has a name: N");
        type.shape.push_back(std::move(extent));
    }
    return type;
}

} // namespace fw
