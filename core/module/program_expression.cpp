#include "module/program_expression.h"

#include "expr/evaluate.h"

#include <algorithm>

namespace fw {

namespace {

using runtime::Op;

class OfProgram : public Evaluate<OfProgram, runtime::Expression> {
public:
    explicit OfProgram(const std::vector<Symbol>& symbols) : m_symbols(symbols) {}

    runtime::Expression integer(const Expr& e) const { return runtime::constant(e->integer); }
    runtime::Expression variable(const Expr& e) const {
        const auto found = std::find(m_symbols.begin(), m_symbols.end(), e->symbol);
        if (found == m_symbols.end())
            throw InternalError("the program has no symbol " + e->symbol.text());
        return runtime::symbol(static_cast<std::uint32_t>(found - m_symbols.begin()));
    }
    runtime::Expression add(const Expr& e) { return binary(Op::Add, e); }
    runtime::Expression sub(const Expr& e) { return binary(Op::Subtract, e); }
    runtime::Expression mul(const Expr& e) { return binary(Op::Multiply, e); }
    runtime::Expression floorDiv(const Expr& e) { return binary(Op::FloorDivide, e); }
    runtime::Expression mod(const Expr& e) { return binary(Op::FloorModulo, e); }
    runtime::Expression min(const Expr& e) { return binary(Op::Minimum, e); }
    runtime::Expression max(const Expr& e) { return binary(Op::Maximum, e); }
    runtime::Expression eq(const Expr& e) { return binary(Op::Equal, e); }
    runtime::Expression ne(const Expr& e) { return binary(Op::NotEqual, e); }
    runtime::Expression lt(const Expr& e) { return binary(Op::Less, e); }
    runtime::Expression le(const Expr& e) { return binary(Op::LessOrEqual, e); }
    runtime::Expression both(const Expr& e) { return binary(Op::And, e); }
    runtime::Expression either(const Expr& e) { return binary(Op::Or, e); }
    runtime::Expression neg(const Expr& e) {
        return runtime::binary(Op::Subtract, runtime::constant(0), of(e.arg(0)));
    }
    runtime::Expression opposite(const Expr& e) {
        runtime::Expression out = of(e.arg(0));
        out.code.push_back({Op::Not, 0});
        return out;
    }
    runtime::Expression select(const Expr& e) {
        return runtime::select(of(e.arg(0)), of(e.arg(1)), of(e.arg(2)));
    }
    runtime::Expression other(ExprOp, const Expr& e) const {
        throw InternalError("the runtime cannot evaluate " + e.text());
    }

private:
    runtime::Expression binary(Op op, const Expr& e) {
        return runtime::binary(op, of(e.arg(0)), of(e.arg(1)));
    }

    const std::vector<Symbol>& m_symbols;
};

} // namespace

runtime::Expression programExpression(const Expr& e, const std::vector<Symbol>& symbols) {
    return OfProgram(symbols).of(e);
}

} // namespace fw
