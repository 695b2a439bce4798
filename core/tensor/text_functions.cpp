#include "tensor/text_functions.h"

#include "expr/parse.h"
#include "expr/simplify.h"
#include "ir/op_inst.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace fw {

void promote(Expr& a, Expr& b) {
    const auto isIndex = [](const Expr& e) {
        return e.dtype() == DType::I64 && !e.isInt() && !hasLoad(e);
    };
    if (isFloat(a.dtype()) && isIndex(b))
        b = castExpr(b, a.dtype());
    else if (isFloat(b.dtype()) && isIndex(a))
        a = castExpr(a, b.dtype());
}

namespace {

// Literals of which one is a real number.
std::optional<std::pair<double, double>> realsOf(const Expr& a, const Expr& b) {
    const auto real = [](const Expr& e) -> std::optional<double> {
        if (e.op() == ExprOp::Float)
            return e->real;
        if (e.isInt() && e.dtype() == DType::I64)
            return static_cast<double>(e->integer);
        return std::nullopt;
    };
    const auto x = real(a), y = real(b);
    if (!x || !y || (a.isInt() && b.isInt()))
        return std::nullopt;
    return std::pair(*x, *y);
}

} // namespace

std::optional<double> foldReals(const std::string& sign, const Expr& a, const Expr& b) {
    const auto reals = realsOf(a, b);
    if (!reals)
        return std::nullopt;
    const auto [x, y] = *reals;
    if (sign == "+")
        return x + y;
    if (sign == "-")
        return x - y;
    if (sign == "*")
        return x * y;
    if (sign == "/")
        return x / y;
    return std::nullopt;
}

std::optional<bool> compareReals(const std::string& sign, const Expr& a, const Expr& b) {
    const auto reals = realsOf(a, b);
    if (!reals)
        return std::nullopt;
    const auto [x, y] = *reals;
    if (sign == "==")
        return x == y;
    if (sign == "!=")
        return x != y;
    if (sign == "<")
        return x < y;
    if (sign == "<=")
        return x <= y;
    if (sign == ">")
        return x > y;
    if (sign == ">=")
        return x >= y;
    return std::nullopt;
}

std::optional<std::size_t> operandsOf(std::string_view function) {
    constexpr std::pair<std::string_view, std::size_t> known[] = {
        {"sqr", 1},      {"size", 1},     {"rank", 1},     {"len", 1},     {"float", 1},
        {"integer", 1},  {"total", 1},    {"before", 1},   {"lowest", 1},  {"largest", 1},
        {"ceil_div", 2}, {"wrap", 2},     {"cast", 2},     {"clamp", 3},   {"given", 3},
        {"permute", 2},  {"bit_cast", 2}, {"replaced", 3}, {"without", 2}, {"places", 1},
        {"part", 3}};
    for (const auto& [name, operands] : known)
        if (name == function)
            return operands;
    return std::nullopt;
}

bool isListFunction(std::string_view function) {
    constexpr std::string_view all[] = {"permute", "replaced", "without", "places", "part"};
    return std::find(std::begin(all), std::end(all), function) != std::end(all);
}

bool isNumberFunction(std::string_view function) {
    constexpr std::string_view all[] = {"size", "rank", "len", "lowest", "largest"};
    return std::find(std::begin(all), std::end(all), function) != std::end(all);
}

namespace {

// Negative indices count from the end, and a bad one is brought into range.
Expr wrapped(const Expr& index, const Expr& extent) {
    const Expr fromStart = selectExpr(ltExpr(index, 0), index + extent, index);
    return maxExpr(minExpr(fromStart, extent - Expr(1)), Expr(0));
}

Diag unknownFunction(const std::string& name, const Where& where) {
    Diag out = makeDiag(DiagCode::TextName, fmt::format("there is no function '{}'", name), where);
    if (name == reducerText(Reducer::Sum) || name == reducerText(Reducer::Prod))
        out.advise(fmt::format("a reduction says what runs: {}(k in K : x[k])", name));
    return out;
}

} // namespace

Result<Expr> applyTextFunction(const std::string& name, Exprs args, const Where& where) {
    if (name == "sqr")
        return applyInfix("*", args[0], args[0], where);
    if (name == "ceil_div") {
        if (args[0].dtype() != DType::I64 || args[1].dtype() != DType::I64)
            return makeDiag(DiagCode::TextType, "ceil_div() takes two integers", where);
        return ceilDivExpr(args[0], args[1]);
    }
    if (name == "wrap" || name == "clamp") {
        for (Expr& e : args) {
            if (!isInteger(e.dtype()))
                return makeDiag(DiagCode::TextType, fmt::format("{}() takes integers", name),
                                where);
            e = castExpr(e, DType::I64);
        }
        return name == "wrap" ? wrapped(args[0], args[1])
                              : maxExpr(minExpr(args[0], args[2]), args[1]);
    }
    const std::size_t first = name == "select" ? 1 : 0;
    if (args.size() == first + 2)
        promote(args[first], args[first + 1]);
    if (auto result = applyFunction(name, args, where))
        return *result;
    return unknownFunction(name, where);
}

Result<Exprs> permuted(const Exprs& list, const Exprs& order, const Where& where) {
    Exprs out;
    std::vector<bool> used(list.size(), false);
    for (const Expr& at : order) {
        const auto position = at.asInt();
        const auto k = static_cast<std::size_t>(position.value_or(-1));
        if (!position || k >= list.size() || used[k])
            break;
        used[k] = true;
        out.push_back(list[k]);
    }
    if (out.size() != list.size() || order.size() != list.size())
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("the order is not a permutation of {} axes", list.size()),
                        where);
    return out;
}

Result<Exprs> without(const Exprs& list, const Exprs& places, const Where& where) {
    const auto count = static_cast<std::int64_t>(list.size());
    std::vector<bool> gone(list.size(), false);
    for (const Expr& one : places) {
        const auto known = one.asInt();
        const std::int64_t place = known.value_or(count) + (known.value_or(0) < 0 ? count : 0);
        if (place < 0 || place >= count)
            return makeDiag(DiagCode::UnsupportedAttribute,
                            fmt::format("{} is no place in a list of {}", one.text(), count),
                            where);
        gone[static_cast<std::size_t>(place)] = true;
    }
    Exprs out;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (!gone[i])
            out.push_back(list[i]);
    return out;
}

Expr largestOf(DType dtype) {
    switch (dtype) {
    case DType::F16:
        return floatExpr(65504);
    case DType::BF16:
        return floatExpr(0x1.FEp127);
    case DType::F32:
        return floatExpr(3.4028235e38);
    case DType::F64:
        return floatExpr(std::numeric_limits<double>::max());
    default:
        return reducerIdentity(Reducer::Min, dtype);
    }
}

Result<Exprs> partOf(const Exprs& list, const Expr& from, const Expr& to, const Where& where) {
    const auto first = from.asInt(), last = to.asInt();
    if (!first || !last || *first < 0 || *last < *first ||
        static_cast<std::size_t>(*last) > list.size())
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("a list of {} has no part from {} to {}", list.size(),
                                    from.text(), to.text()),
                        where);
    return Exprs(list.begin() + *first, list.begin() + *last);
}

Result<Exprs> replaced(Exprs list, const Exprs& places, const Exprs& values, const Where& where) {
    if (places.size() != values.size())
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("{} elements for {} places", values.size(), places.size()),
                        where);
    std::set<std::size_t> taken;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto place = static_cast<std::size_t>(places[i].asInt().value_or(-1));
        if (place >= list.size() || !taken.insert(place).second)
            return makeDiag(DiagCode::UnsupportedAttribute,
                            fmt::format("the places are not some of {}, each once", list.size()),
                            where);
        list[place] = values[i];
    }
    return list;
}

} // namespace fw
