#include "tensor/tree_evaluator.h"

#include "expr/parse.h"
#include "expr/simplify.h"
#include "ir/op_inst.h"
#include "syntax/foreign_words.h"
#include "tensor/text_functions.h"

#include <fmt/format.h>

namespace fw {

const NameValue* TreeEvaluator::find(const std::string& name) const {
    const auto found = m_names.find(name);
    return found == m_names.end() ? nullptr : &found->second;
}

bool TreeEvaluator::isTensor(const std::string&) const {
    return false;
}

Result<Expr> TreeEvaluator::load(const Tree& tree) {
    return error(tree, DiagCode::TextName, fmt::format("'{}' is not a list", tree.text));
}

Result<Expr> TreeEvaluator::reduce(const Tree& tree) {
    return error(tree, DiagCode::TextType, "there is no reduction over dimensions here");
}

Result<Expr> TreeEvaluator::pad(const Tree& tree) {
    return error(tree, DiagCode::TextType, "there is nothing to pad here");
}

Result<bool> TreeEvaluator::present(const std::string& parameter, const Where& where) const {
    return makeDiag(DiagCode::TextName, fmt::format("'{}' is not an optional parameter", parameter),
                    where);
}

std::optional<Result<Expr>> TreeEvaluator::perElement(const std::string&, const std::string&) {
    return std::nullopt;
}

std::optional<DiagCode> TreeEvaluator::refusesZero(const Tree&) const {
    return std::nullopt;
}

Result<Expr> TreeEvaluator::decided(const Tree& condition) {
    const bool before = std::exchange(m_deciding, true);
    const Result<Expr> value = scalar(condition);
    m_deciding = before;
    return value ? Result(simplify(*value)) : value;
}

Result<bool> TreeEvaluator::isKnownToHold(const Tree& condition) {
    FW_TRY(const Expr value, decided(condition));
    return value.asInt().value_or(0) != 0;
}

Status TreeEvaluator::takesAsMany(const Tree& call) const {
    const auto wanted = operandsOf(call.text);
    if (!wanted || *wanted == call.args.size())
        return {};
    return error(call, DiagCode::TextType,
                 fmt::format("{}() takes {} operand{}, not {}", call.text, *wanted,
                             *wanted == 1 ? "" : "s", call.args.size()));
}

Result<DType> TreeEvaluator::dtype(const Tree& tree) const {
    if (tree.isName()) {
        if (const NameValue* value = find(tree.text))
            if (const auto* found = std::get_if<DType>(value))
                return *found;
        if (const auto known = parseDtype(tree.text))
            return *known;
    }
    return error(tree, DiagCode::TextName, fmt::format("'{}' is not an element type", tree.text),
                 elementTypeHint(tree.text));
}

Result<Expr> TreeEvaluator::scalar(const Tree& tree) {
    switch (tree.kind) {
    case TreeKind::Int:
        return intExpr(tree.integer);
    case TreeKind::Float:
        return floatExpr(tree.real);
    case TreeKind::Name:
        return name(tree);
    case TreeKind::Unary: {
        FW_TRY(const Expr operand, scalar(tree.args[0]));
        return applyPrefix(tree.text, operand, where(tree));
    }
    case TreeKind::Binary:
        return binary(tree);
    case TreeKind::Call:
        return call(tree);
    case TreeKind::Index:
        return index(tree);
    case TreeKind::Reduce:
        return reduce(tree);
    case TreeKind::Text:
    case TreeKind::Pack:
    case TreeKind::List:
        break;
    }
    return error(tree, DiagCode::TextType, "one value expected here");
}

Result<Expr> TreeEvaluator::extent(const Tree& tree) {
    if (tree.kind == TreeKind::Binary && tree.args.size() == 2 &&
        (tree.text == "+" || tree.text == "-" || tree.text == "*")) {
        FW_TRY(const Expr a, extent(tree.args[0]));
        FW_TRY(const Expr b, extent(tree.args[1]));
        const auto x = a.asInt(), y = b.asInt();
        std::int64_t out = 0;
        if (x && y &&
            (tree.text == "+"   ? __builtin_add_overflow(*x, *y, &out)
             : tree.text == "-" ? __builtin_sub_overflow(*x, *y, &out)
                                : __builtin_mul_overflow(*x, *y, &out)))
            return error(tree, DiagCode::DimOverflow,
                         fmt::format("{} {} {} does not fit in 64 bits", *x, tree.text, *y));
    }
    return scalar(tree);
}

Result<Expr> TreeEvaluator::name(const Tree& tree) {
    if (const NameValue* value = find(tree.text)) {
        if (const auto* e = std::get_if<Expr>(value))
            return *e;
        return error(tree, DiagCode::TextType, fmt::format("'{}' is not one value", tree.text));
    }
    if (const auto literal = literalOf(tree.text))
        return *literal;
    return error(tree, DiagCode::TextName, fmt::format("'{}' is not known here", tree.text));
}

namespace {

bool isWrittenZero(const Tree& tree) {
    return tree.kind == TreeKind::Int && tree.integer == 0;
}

// "k", "k[1]"; other trees by what they are.
std::string divisorText(const Tree& tree) {
    if (tree.isName())
        return tree.text;
    if (tree.kind == TreeKind::Index && tree.args.size() == 1 && tree.args[0].kind == TreeKind::Int)
        return fmt::format("{}[{}]", tree.text, tree.args[0].integer);
    return "the divisor";
}

} // namespace

Result<Expr> TreeEvaluator::binary(const Tree& tree) {
    FW_TRY(Expr a, scalar(tree.args[0]));
    const bool decided =
        (tree.text == "&&" && a.isInt(0)) || (tree.text == "||" && a.isInt() && !a.isInt(0));
    FW_TRY(Expr b, part(tree.args[1], decided));
    promote(a, b);
    if (const auto folded = foldReals(tree.text, a, b))
        return floatExpr(*folded, isFloat(a.dtype()) ? a.dtype() : b.dtype());
    if (const auto holds = m_deciding ? compareReals(tree.text, a, b) : std::nullopt)
        return boolExpr(*holds);
    return infix(tree, a, b);
}

Result<Expr> TreeEvaluator::infix(const Tree& tree, const Expr& a, const Expr& b) {
    const bool divides = tree.text == "/" || tree.text == "%";
    const bool rest = tree.text == "%" && isWrittenZero(tree.args[1]); // of whatever type
    if (rest || (divides && b.isInt(0) && !isFloat(a.dtype())))
        return byZero(tree, tree.args[1], a.dtype());
    return applyInfix(tree.text, a, b, where(tree));
}

// A 0 that is written is a mistake; of what turns out to be 0, an extent of places that there are
// none of, nothing is left.
Result<Expr> TreeEvaluator::byZero(const Tree& tree, const Tree& divisor, DType dtype) const {
    if (isWrittenZero(divisor))
        return error(tree, DiagCode::TextType, "division by 0");
    const auto refused = m_leftOut ? std::nullopt : refusesZero(divisor);
    if (!refused)
        return intExpr(0, dtype);
    return error(
        tree, *refused,
        fmt::format("division by 0: {} {}", divisorText(divisor),
                    isList(divisor) ? "has a 0" : "is 0"),
        "a size or an index has no value then: give another one, or say in requires of the "
        "operator which may be given");
}

Result<Expr> TreeEvaluator::part(const Tree& tree, bool leftOut) {
    const bool before = std::exchange(m_leftOut, m_leftOut || leftOut);
    Result<Expr> out = scalar(tree);
    m_leftOut = before;
    return out;
}

// An element of a list attribute or of a pack; otherwise a read of a tensor.
Result<Expr> TreeEvaluator::index(const Tree& tree) {
    const NameValue* value = find(tree.text);
    const auto* exprs = value == nullptr ? nullptr : std::get_if<Exprs>(value);
    // A tensor and a pack of variables may share a name: `b[b..., k]`.
    if (exprs == nullptr || isTensor(tree.text))
        return load(tree);
    if (tree.args.size() != 1)
        return error(tree, DiagCode::TextType, fmt::format("'{}' takes one index", tree.text));
    FW_TRY(const Expr at, scalar(tree.args[0]));
    const auto position = at.asInt();
    if (!position || *position < 0 || *position >= static_cast<std::int64_t>(exprs->size()))
        return error(tree, DiagCode::UnsupportedAttribute,
                     fmt::format("'{}' has {} elements, there is no {}", tree.text, exprs->size(),
                                 at.text()));
    return (*exprs)[static_cast<std::size_t>(*position)];
}

std::optional<Result<Expr>> TreeEvaluator::shapeFunction(const Tree& tree) {
    const std::string& f = tree.text;
    if (tree.args.size() == 1 && (f == "size" || f == "rank" || f == "len")) {
        const Result<Exprs> values = list(tree.args[0]);
        if (!values)
            return Result<Expr>(values.diag());
        return Result<Expr>(f == "size" ? elementCount(*values)
                                        : intExpr(static_cast<std::int64_t>(values->size())));
    }
    if (tree.args.size() == 1 && (f == "float" || f == "integer")) {
        const Result<DType> type = dtype(tree.args[0]);
        if (!type)
            return Result<Expr>(type.diag());
        return Result<Expr>(boolExpr(f == "float" ? isFloat(*type) : isInteger(*type)));
    }
    if (tree.args.size() == 1 && (f == "lowest" || f == "largest")) {
        const Result<DType> type = dtype(tree.args[0]);
        if (!type)
            return Result<Expr>(type.diag());
        if (*type == DType::Text)
            return Result<Expr>(
                error(tree, DiagCode::TextType, fmt::format("text has no {} value", f)));
        return Result<Expr>(f == "lowest" ? reducerIdentity(Reducer::Max, *type)
                                          : largestOf(*type));
    }
    if (tree.args.size() == 1 && tree.args[0].isName() && (f == "total" || f == "before"))
        return perElement(f, tree.args[0].text);
    return std::nullopt;
}

std::set<Symbol> TreeEvaluator::namedVars(const Tree& tree) const {
    std::set<Symbol> out;
    if (const NameValue* known = tree.isName() ? find(tree.text) : nullptr) {
        if (const auto* one = std::get_if<Expr>(known))
            out = freeVars(*one);
        if (const auto* pack = std::get_if<Exprs>(known))
            for (const Expr& one : *pack)
                out.merge(freeVars(one));
    }
    for (const Tree& arg : tree.args)
        out.merge(namedVars(arg));
    return out;
}

Result<Expr> TreeEvaluator::call(const Tree& tree) {
    if (auto known = shapeFunction(tree))
        return *known;
    if (tree.text == "pad")
        return pad(tree);
    FW_CHECK(takesAsMany(tree));
    if (tree.text == "given" && tree.args[0].isName()) {
        FW_TRY(const bool there, present(tree.args[0].text, where(tree)));
        return scalar(tree.args[there ? 1 : 2]);
    }
    if (tree.text == "cast" || tree.text == "bit_cast")
        return conversion(tree);
    FW_TRY(Exprs args, operands(tree));
    const bool divides = tree.text == "div" || tree.text == "ceil_div";
    if (divides && args.size() == 2 && args[1].isInt(0) && isInteger(args[0].dtype()))
        return byZero(tree, tree.args[1], args[0].dtype());
    return applyTextFunction(tree.text, std::move(args), where(tree));
}

Result<Expr> TreeEvaluator::conversion(const Tree& tree) {
    FW_TRY(const Expr value, scalar(tree.args[0]));
    FW_TRY(const DType to, dtype(tree.args[1]));
    if (tree.text == "bit_cast")
        return applyBitCast(value, to, where(tree));
    if ((to == DType::Text || value.dtype() == DType::Text) && to != value.dtype())
        return error(tree, DiagCode::TextType,
                     to == DType::Text ? "cast() makes no text" : "cast() takes no text");
    return castExpr(value, to);
}

// Of a select() whose condition is known the other side is left out.
Result<Exprs> TreeEvaluator::operands(const Tree& tree) {
    const bool selects = tree.text == "select" && tree.args.size() == 3;
    Exprs out;
    for (const Tree& arg : tree.args) {
        const bool known = selects && !out.empty() && out[0].isInt();
        FW_TRY(Expr e, part(arg, known && (out.size() == 1) == out[0].isInt(0)));
        out.push_back(std::move(e));
    }
    return out;
}

} // namespace fw
