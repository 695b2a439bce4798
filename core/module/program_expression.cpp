#include "module/program_expression.h"

#include "base/result.h"

#include <algorithm>

namespace fw {

namespace {

std::optional<runtime::Op> opOf(ExprOp op) {
    switch (op) {
    case ExprOp::Add:
        return runtime::Op::Add;
    case ExprOp::Sub:
        return runtime::Op::Subtract;
    case ExprOp::Mul:
        return runtime::Op::Multiply;
    case ExprOp::FloorDiv:
        return runtime::Op::FloorDivide;
    case ExprOp::Mod:
        return runtime::Op::FloorModulo;
    case ExprOp::Min:
        return runtime::Op::Minimum;
    case ExprOp::Max:
        return runtime::Op::Maximum;
    case ExprOp::Eq:
        return runtime::Op::Equal;
    case ExprOp::Ne:
        return runtime::Op::NotEqual;
    case ExprOp::Lt:
        return runtime::Op::Less;
    case ExprOp::Le:
        return runtime::Op::LessOrEqual;
    case ExprOp::And:
        return runtime::Op::And;
    case ExprOp::Or:
        return runtime::Op::Or;
    default:
        return std::nullopt;
    }
}

} // namespace

runtime::Expression programExpression(const Expr& e, const std::vector<Symbol>& symbols) {
    if (const auto value = e.asInt())
        return runtime::constant(*value);
    if (e.isVar()) {
        const auto found = std::find(symbols.begin(), symbols.end(), e->symbol);
        if (found == symbols.end())
            throw InternalError("the program has no symbol " + e->symbol.text());
        return runtime::symbol(static_cast<std::uint32_t>(found - symbols.begin()));
    }
    if (e.op() == ExprOp::Neg)
        return runtime::binary(runtime::Op::Subtract, runtime::constant(0),
                               programExpression(e.arg(0), symbols));
    if (e.op() == ExprOp::Not) {
        runtime::Expression out = programExpression(e.arg(0), symbols);
        out.code.push_back({runtime::Op::Not, 0});
        return out;
    }
    if (e.op() == ExprOp::Select)
        return runtime::select(programExpression(e.arg(0), symbols),
                               programExpression(e.arg(1), symbols),
                               programExpression(e.arg(2), symbols));
    const auto op = opOf(e.op());
    if (!op)
        throw InternalError("the runtime cannot evaluate " + e.text());
    return runtime::binary(*op, programExpression(e.arg(0), symbols),
                           programExpression(e.arg(1), symbols));
}

} // namespace fw
