// Index arithmetic in checked 64-bit integers.
#include "expr/evaluate.h"
#include "expr/scalar.h"

namespace fw {

namespace {

using Index = std::optional<std::int64_t>;

class Checked : public Evaluate<Checked, Index> {
public:
    explicit Checked(const Bindings& bindings) : m_bindings(bindings) {}

    Index integer(const Expr& e) const { return e->integer; }
    Index variable(const Expr& e) const {
        const auto found = m_bindings.find(e->symbol);
        return found == m_bindings.end() ? Index() : Index(found->second);
    }
    Index select(const Expr& e) {
        const Index condition = of(e.arg(0));
        return condition ? of(e.arg(*condition != 0 ? 1 : 2)) : Index();
    }
    Index cast(const Expr& e) { return isFloat(e.dtype()) ? Index() : held(e, of(e.arg(0))); }
    Index fma(const Expr& e) {
        const Index product = mul(e), last = of(e.arg(2));
        return product && last ? held(e, checked(ExprOp::Add, *product, *last)) : Index();
    }
    Index real(const Expr&) const { return {}; }
    Index load(const Expr&) const { return {}; }
    Index pad(const Expr&) const { return {}; }
    Index call(const Expr&) const { return {}; }
    Index bitCast(const Expr&) const { return {}; }
    Index other(ExprOp op, const Expr& e) {
        const Index a = of(e.arg(0)), b = a && e.args().size() > 1 ? of(e.arg(1)) : a;
        return a && b ? held(e, checked(op, *a, *b)) : Index();
    }

private:
    static Index checked(ExprOp op, std::int64_t a, std::int64_t b) {
        const bool divides = op == ExprOp::Div || op == ExprOp::FloorDiv || op == ExprOp::Mod;
        const Operation operation{op, MathFn::Abs, DType::I64, DType::I64};
        if ((divides && b == 0) || overflows(operation, a, b))
            return {};
        return applyOperation(operation, intValue(a), intValue(b)).integer;
    }

    // Where its type ends, too.
    static Index held(const Expr& e, Index value) {
        const bool isHeld = value && wrapTo(e.dtype(), *value) == *value &&
                            (e.dtype() != DType::U64 || *value >= 0);
        return isHeld ? value : Index();
    }

    const Bindings& m_bindings;
};

} // namespace

std::optional<std::int64_t> evalIndex(const Expr& e, const Bindings& bindings) {
    return Checked(bindings).of(e);
}

} // namespace fw
