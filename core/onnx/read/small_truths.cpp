// What models ask of sizes: comparisons, what is made of them, and reductions of lists.
#include "onnx/read/small_call.h"

#include "base/numbers.h"
#include "expr/simplify.h"

#include <map>

namespace fw {

namespace {

using Call = SmallCall;
using Outcome = SmallOutcome;

// a < b, or a <= b, where that is known.
std::optional<bool> isLess(const Expr& a, const Expr& b, bool orEqual) {
    if (const auto x = a.asInt(), y = b.asInt(); x && y)
        return orEqual ? *x <= *y : *x < *y;
    const Expr apart(orEqual ? 0 : 1);
    if (proveNonNegative(b - a - apart))
        return true;
    return proveNonNegative(a - b + apart - Expr(1)) ? std::optional(false) : std::nullopt;
}

template <bool swapped, bool orEqual>
Outcome compared(const Call& call) {
    DType result = DType::Bool;
    if (call.value(0) && call.value(0)->dtype == DType::U64) // half of those are no index
        return std::nullopt;
    return binary(call, &result, [](const Expr& a, const Expr& b) -> std::optional<Expr> {
        const auto less = swapped ? isLess(b, a, orEqual) : isLess(a, b, orEqual);
        return less ? std::optional(intExpr(*less ? 1 : 0)) : std::nullopt;
    });
}

Outcome negation(const Call& call) {
    const SmallTensor* x = call.value(0);
    if (!x || x->dtype != DType::Bool || !x->isFixed())
        return std::nullopt;
    SmallTensor out = *x;
    for (Expr& element : out.elements)
        element = intExpr(element.isInt(0) ? 1 : 0);
    return smallResult(std::move(out));
}

template <class F>
Outcome truths(const Call& call, F apply) {
    if (call.value(0) && call.value(0)->dtype != DType::Bool)
        return std::nullopt;
    return binary(call, nullptr, [&](const Expr& a, const Expr& b) -> std::optional<Expr> {
        const auto x = a.asInt(), y = b.asInt();
        return x && y ? std::optional(intExpr(apply(*x != 0, *y != 0) ? 1 : 0)) : std::nullopt;
    });
}

Outcome conjunction(const Call& call) {
    return truths(call, [](bool a, bool b) { return a && b; });
}

Outcome disjunction(const Call& call) {
    return truths(call, [](bool a, bool b) { return a || b; });
}

Outcome exclusive(const Call& call) {
    return truths(call, [](bool a, bool b) { return a != b; });
}

// A list to one number; `result`: that of none, `apply`: of what is reduced and one element more.
template <class F>
Outcome reduced(const Call& call, std::optional<Expr> result, F apply) {
    const SmallTensor* x = call.value(0);
    const auto axes = call.list("axes", 1);
    if (!x || x->extents.size() != 1 || !axes || call.integer("noop_with_empty_axes", 0) != 0 ||
        x->dtype == DType::U64)
        return std::nullopt;
    if (*axes && !(*axes)->empty() && **axes != std::vector<std::int64_t>{0} &&
        **axes != std::vector<std::int64_t>{-1})
        return std::nullopt;
    for (const Expr& element : x->elements) {
        result = result ? apply(*result, element) : std::optional(element);
        if (!result)
            return std::nullopt;
    }
    if (!result)
        return std::nullopt;
    SmallTensor out{x->dtype, {}, {*result}};
    if (call.integer("keepdims", 1) != 0)
        out.extents = {1};
    return smallResult(std::move(out));
}

Outcome reduceProd(const Call& call) {
    return reduced(call, intExpr(1), [](const Expr& a, const Expr& b) {
        return checked(a, b, checkedMul, [](const Expr& x, const Expr& y) { return x * y; });
    });
}

Outcome reduceSum(const Call& call) {
    return reduced(call, intExpr(0), [](const Expr& a, const Expr& b) {
        return checked(a, b, checkedAdd, [](const Expr& x, const Expr& y) { return x + y; });
    });
}

Outcome reduceMax(const Call& call) {
    return reduced(call, std::nullopt,
                   [](const Expr& a, const Expr& b) { return std::optional(maxExpr(a, b)); });
}

Outcome reduceMin(const Call& call) {
    return reduced(call, std::nullopt,
                   [](const Expr& a, const Expr& b) { return std::optional(minExpr(a, b)); });
}

} // namespace

EvaluateSmall truthOrReduction(std::string_view type) {
    static const std::map<std::string_view, EvaluateSmall> functions{
        {"Greater", compared<true, false>},
        {"GreaterOrEqual", compared<true, true>},
        {"Less", compared<false, false>},
        {"LessOrEqual", compared<false, true>},
        {"Not", negation},
        {"And", conjunction},
        {"Or", disjunction},
        {"Xor", exclusive},
        {"ReduceProd", reduceProd},
        {"ReduceSum", reduceSum},
        {"ReduceMax", reduceMax},
        {"ReduceMin", reduceMin},
    };
    const auto found = functions.find(type);
    return found == functions.end() ? nullptr : found->second;
}

} // namespace fw
