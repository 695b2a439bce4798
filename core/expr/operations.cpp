#include "expr/operations.h"

#include <cmath>

namespace fw {

namespace {

constexpr OperationRow operationRows[] = {
#define FW_OPERATION(name, method, commutes, cost, flops) {commutes, cost, flops},
#include "expr/functions.def"
};

constexpr FunctionRow functionRows[] = {
#define FW_FUNCTION(name, method, text, operands, value, cost, transcendental, ulps, absolute,     \
                    symmetry, monotone, takes)                                                     \
    {text,     operands,           cost,     transcendental, ulps,                                 \
     absolute, Symmetry::symmetry, monotone, Takes::takes},
#include "expr/functions.def"
};

} // namespace

const OperationRow& rowOf(ExprOp op) {
    return operationRows[static_cast<std::size_t>(op)];
}

const FunctionRow& rowOf(MathFn fn) {
    return functionRows[static_cast<std::size_t>(fn)];
}

std::string_view mathName(MathFn fn) {
    return rowOf(fn).text;
}

std::size_t mathArity(MathFn fn) {
    return rowOf(fn).operands;
}

std::optional<MathFn> parseMathFn(std::string_view name) {
    for (std::size_t i = 0; i < std::size(functionRows); ++i)
        if (functionRows[i].text == name)
            return static_cast<MathFn>(i);
    return std::nullopt;
}

double evalMath(MathFn fn, double a, [[maybe_unused]] double b) {
    switch (fn) {
#define FW_FUNCTION(name, method, text, operands, value, ...)                                      \
    case MathFn::name:                                                                             \
        return value;
#include "expr/functions.def"
    }
    return a;
}

} // namespace fw
