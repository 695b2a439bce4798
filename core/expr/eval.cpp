// Values of expressions: index arithmetic in checked 64-bit integers, the math functions in double.
#include "expr/expr.h"

#include "base/numbers.h"

#include <cmath>

namespace fw {

std::optional<std::int64_t> evalIndex(const Expr& e, const Bindings& bindings) {
    const ExprNode& node = e.node();
    if (node.op == ExprOp::Int)
        return node.integer;
    if (node.op == ExprOp::Var) {
        const auto found = bindings.find(node.symbol);
        return found == bindings.end() ? std::nullopt : std::optional(found->second);
    }
    std::int64_t v[3] = {0, 0, 0};
    if (node.args.size() > 3 || node.op == ExprOp::Load || node.op == ExprOp::Call ||
        node.op == ExprOp::Pad)
        return std::nullopt;
    if (node.op == ExprOp::Select) {
        const auto condition = evalIndex(node.args[0], bindings);
        return condition ? evalIndex(node.args[*condition ? 1 : 2], bindings) : std::nullopt;
    }
    for (std::size_t i = 0; i < node.args.size(); ++i) {
        const auto value = evalIndex(node.args[i], bindings);
        if (!value)
            return std::nullopt;
        v[i] = *value;
    }
    switch (node.op) {
    case ExprOp::Add:
        return checkedAdd(v[0], v[1]);
    case ExprOp::Sub: {
        std::int64_t out = 0;
        return __builtin_sub_overflow(v[0], v[1], &out) ? std::nullopt : std::optional(out);
    }
    case ExprOp::Mul:
        return checkedMul(v[0], v[1]);
    case ExprOp::FloorDiv:
        return v[1] == 0 || (v[0] == INT64_MIN && v[1] == -1) ? std::nullopt
                                                              : std::optional(floorDiv(v[0], v[1]));
    case ExprOp::Mod:
        if (v[1] == 0)
            return std::nullopt;
        return v[1] == -1 ? 0 : floorMod(v[0], v[1]);
    case ExprOp::Div:
        return v[1] == 0 || (v[0] == INT64_MIN && v[1] == -1) ? std::nullopt
                                                              : std::optional(v[0] / v[1]);
    case ExprOp::Min:
        return std::min(v[0], v[1]);
    case ExprOp::Max:
        return std::max(v[0], v[1]);
    case ExprOp::Neg:
        return v[0] == INT64_MIN ? std::nullopt : std::optional(-v[0]);
    case ExprOp::Eq:
        return v[0] == v[1];
    case ExprOp::Ne:
        return v[0] != v[1];
    case ExprOp::Lt:
        return v[0] < v[1];
    case ExprOp::Le:
        return v[0] <= v[1];
    case ExprOp::And:
        return (v[0] != 0) && (v[1] != 0);
    case ExprOp::Or:
        return (v[0] != 0) || (v[1] != 0);
    case ExprOp::Not:
        return v[0] == 0;
    case ExprOp::Cast:
        return isFloat(node.dtype) ? std::nullopt : std::optional(v[0]);
    case ExprOp::Fma: {
        const auto product = checkedMul(v[0], v[1]);
        return product ? checkedAdd(*product, v[2]) : std::nullopt;
    }
    case ExprOp::Int:
    case ExprOp::Float:
    case ExprOp::Var:
    case ExprOp::Select:
    case ExprOp::Load:
    case ExprOp::Pad:
    case ExprOp::Call:
        break;
    }
    return std::nullopt;
}

double evalMath(MathFn fn, double a, double b) {
    switch (fn) {
    case MathFn::Exp:
        return std::exp(a);
    case MathFn::Log:
        return std::log(a);
    case MathFn::Sqrt:
        return std::sqrt(a);
    case MathFn::Rsqrt:
        return 1.0 / std::sqrt(a);
    case MathFn::Tanh:
        return std::tanh(a);
    case MathFn::Erf:
        return std::erf(a);
    case MathFn::Sigmoid:
        return 1.0 / (1.0 + std::exp(-a));
    case MathFn::Abs:
        return std::fabs(a);
    case MathFn::Floor:
        return std::floor(a);
    case MathFn::Ceil:
        return std::ceil(a);
    case MathFn::Round:
        return std::nearbyint(a);
    case MathFn::Sign:
        return a > 0 ? 1.0 : a < 0 ? -1.0 : a == 0 ? 0.0 : a;
    case MathFn::Sin:
        return std::sin(a);
    case MathFn::Cos:
        return std::cos(a);
    case MathFn::Pow:
        return std::pow(a, b);
    }
    return a;
}

} // namespace fw
