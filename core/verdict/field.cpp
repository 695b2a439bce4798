#include "verdict/field.h"

#include "base/random.h"
#include "expr/evaluate.h"
#include "expr/operations.h"

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

constexpr std::uint64_t p = (std::uint64_t(1) << 61) - 1;

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
    return (a + b) % p;
}

std::uint64_t minus(std::uint64_t a) {
    return a == 0 ? 0 : p - a;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide(a) * b % p);
}

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t out = 1;
    for (; exponent != 0; exponent >>= 1, base = times(base, base))
        if ((exponent & 1) != 0)
            out = times(out, base);
    return out;
}

std::uint64_t inverse(std::uint64_t a) {
    return power(a, p - 2);
}

std::uint64_t ofInteger(std::int64_t value) {
    const auto magnitude =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    return value < 0 ? minus(magnitude % p) : magnitude % p;
}

class TermValues : private Evaluate<TermValues, std::uint64_t, const Term&> {
public:
    TermValues(const Terms& terms, std::uint64_t seed) : m_terms(terms), m_seed(seed) {
        for (std::size_t i = 0; i < terms.size(); ++i)
            m_values.push_back(valueOf(terms[static_cast<TermId>(i)]));
    }
    std::vector<std::uint64_t> take() { return std::move(m_values); }

private:
    friend Evaluate;
    std::uint64_t at(TermId id) const { return m_values[static_cast<std::size_t>(id)]; }

    // One random value for the same words.
    std::uint64_t drawn(std::initializer_list<std::uint64_t> words,
                        const std::vector<std::uint64_t>& more = {}) const {
        std::uint64_t state = m_seed;
        for (const std::uint64_t word : words)
            state = Random(state ^ word).next();
        for (const std::uint64_t word : more)
            state = Random(state ^ word).next();
        return state % p;
    }

    std::uint64_t ofReal(double value) const {
        if (!std::isfinite(value))
            return drawn({1, std::isnan(value) ? 0u : value > 0 ? 1u : 2u});
        int exponent = 0;
        const auto mantissa =
            static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
        exponent -= 53;
        const std::uint64_t scale = power(2, static_cast<std::uint64_t>(std::abs(exponent)));
        return times(ofInteger(mantissa), exponent < 0 ? inverse(scale) : scale);
    }

    // Of a sum the product.
    std::uint64_t exponentialOf(TermId id) const {
        const Term& term = m_terms[id];
        const bool sum = term.kind == Term::Kind::Sum ||
                         (term.kind == Term::Kind::Apply && term.op == ExprOp::Add);
        if (term.kind == Term::Kind::Apply && term.op == ExprOp::Neg)
            return inverse(exponentialOf(term.args[0]));
        if (!sum)
            return exponential(at(id));
        std::uint64_t out = 1;
        for (const TermId arg : term.args)
            out = times(out, exponentialOf(arg));
        return out;
    }

    // exp is positive, so that the logarithm of a product with it is a sum.
    std::uint64_t logarithmOf(TermId id) const {
        const Term& term = m_terms[id];
        const auto isExp = [&](TermId arg) {
            return m_terms[arg].kind == Term::Kind::Call && m_terms[arg].fn == MathFn::Exp;
        };
        const auto isApply = [&](ExprOp op) {
            return term.kind == Term::Kind::Apply && term.op == op;
        };
        if (isExp(id))
            return at(term.args[0]);
        if (isApply(ExprOp::Mul))
            for (const std::size_t i : {0u, 1u})
                if (isExp(term.args[i]))
                    return plus(logarithmOf(term.args[i]), logarithmOf(term.args[1 - i]));
        if (isApply(ExprOp::Div) && (isExp(term.args[0]) || isExp(term.args[1])))
            return plus(logarithmOf(term.args[0]), minus(logarithmOf(term.args[1])));
        return drawn({3, static_cast<std::uint64_t>(MathFn::Log), at(id)});
    }

    std::uint64_t exponential(std::uint64_t x) const {
        if (x == 0)
            return 1;
        const auto drawnAt = [&](std::uint64_t place) { return drawn({2, place}); };
        return x <= p / 2 ? drawnAt(x) : inverse(drawnAt(minus(x)));
    }

    std::uint64_t operand(const Term& term, std::size_t i) const { return at(term.args[i]); }

    std::uint64_t drawnOf(MathFn fn, std::uint64_t x) const {
        return drawn({3, static_cast<std::uint64_t>(fn), x});
    }

    std::uint64_t exp(const Term& term) const { return exponentialOf(term.args[0]); }
    std::uint64_t log(const Term& term) const { return logarithmOf(term.args[0]); }
    std::uint64_t sigmoid(const Term& term) const {
        return inverse(plus(1, inverse(exponentialOf(term.args[0]))));
    }
    std::uint64_t tanh(const Term& term) const { // 1 - 2 / (exp(2 x) + 1)
        const std::uint64_t twice = times(2, operand(term, 0));
        return plus(1, minus(times(2, inverse(plus(1, exponential(twice))))));
    }
    std::uint64_t rsqrt(const Term& term) const {
        return inverse(drawnOf(MathFn::Sqrt, operand(term, 0)));
    }
    std::uint64_t pow(const Term& term) const {
        const std::uint64_t x = operand(term, 0);
        const Term& exponent = m_terms[term.args[1]];
        constexpr double most = 64;
        if (exponent.kind == Term::Kind::Real && std::fabs(exponent.real) <= most) {
            if (exponent.real == 0.5)
                return drawnOf(MathFn::Sqrt, x);
            if (exponent.real == std::floor(exponent.real)) {
                const std::uint64_t out =
                    power(x, static_cast<std::uint64_t>(std::fabs(exponent.real)));
                return exponent.real < 0 ? inverse(out) : out;
            }
        }
        return drawn({3, static_cast<std::uint64_t>(MathFn::Pow), x, operand(term, 1)});
    }
    std::uint64_t other(MathFn fn, const Term& term) const {
        const std::uint64_t x = operand(term, 0);
        switch (rowOf(fn).symmetry) {
        case Symmetry::Odd:
            if (!isFloat(term.dtype)) // the least integer has no opposite
                break;
            return x == 0 ? 0 : x <= p / 2 ? drawnOf(fn, x) : minus(drawnOf(fn, minus(x)));
        case Symmetry::Even:
            return drawnOf(fn, std::min(x, minus(x)));
        case Symmetry::None:
            break;
        }
        return drawnOf(fn, x);
    }

    // Whether it is an integer that no operation made: what is made may have wrapped.
    static bool isGiven(const Term& term) {
        return term.dtype != DType::Bool &&
               (term.kind == Term::Kind::Leaf || term.kind == Term::Kind::Integer);
    }

    std::uint64_t add(const Term& term) const { return plus(operand(term, 0), operand(term, 1)); }
    std::uint64_t sub(const Term& term) const {
        return plus(operand(term, 0), minus(operand(term, 1)));
    }
    std::uint64_t mul(const Term& term) const { return times(operand(term, 0), operand(term, 1)); }
    std::uint64_t neg(const Term& term) const { return minus(operand(term, 0)); }
    std::uint64_t fma(const Term& term) const { return plus(mul(term), operand(term, 2)); }
    std::uint64_t div(const Term& term) const {
        return isFloat(term.dtype) ? times(operand(term, 0), inverse(operand(term, 1)))
                                   : other(ExprOp::Div, term);
    }
    std::uint64_t cast(const Term& term) const {
        const Term& from = m_terms[term.args[0]];
        const bool keeps =
            isFloat(term.dtype) &&
            (isFloat(from.dtype) ? keepsValues(from.dtype, term.dtype) : isGiven(from));
        return keeps ? operand(term, 0) : other(ExprOp::Cast, term);
    }
    std::uint64_t bitCast(const Term& term) const {
        const auto from = static_cast<std::uint64_t>(m_terms[term.args[0]].dtype);
        return drawn({6, from, static_cast<std::uint64_t>(term.dtype), operand(term, 0)});
    }
    std::uint64_t bitsOfTwo(MathFn fn, const Term& term) const {
        const auto [less, more] = std::minmax(operand(term, 0), operand(term, 1));
        return drawn({7, static_cast<std::uint64_t>(fn), static_cast<std::uint64_t>(term.dtype),
                      less, more});
    }
    std::uint64_t bitNot(const Term& term) const {
        return drawn({8, static_cast<std::uint64_t>(term.dtype), operand(term, 0)});
    }
    std::uint64_t bitAnd(const Term& term) const { return bitsOfTwo(MathFn::BitAnd, term); }
    std::uint64_t bitOr(const Term& term) const { return bitsOfTwo(MathFn::BitOr, term); }
    std::uint64_t bitXor(const Term& term) const { return bitsOfTwo(MathFn::BitXor, term); }
    std::uint64_t other(ExprOp op, const Term& term) const {
        std::vector<std::uint64_t> operands;
        for (std::size_t i = 0; i < term.args.size(); ++i)
            operands.push_back(operand(term, i));
        if (rowOf(op).commutes)
            std::sort(operands.begin(), operands.end());
        return drawn({4, static_cast<std::uint64_t>(op), static_cast<std::uint64_t>(term.dtype)},
                     operands);
    }

    std::uint64_t valueOf(const Term& term) {
        switch (term.kind) {
        case Term::Kind::Leaf:
            return drawn({5, static_cast<std::uint64_t>(term.integer)});
        case Term::Kind::Integer:
            return ofInteger(term.integer);
        case Term::Kind::Real:
            return ofReal(term.real);
        case Term::Kind::Apply:
            return of(term.op, term);
        case Term::Kind::Call:
            return of(term.fn, term);
        case Term::Kind::Sum: {
            std::uint64_t out = 0;
            for (const TermId id : term.args)
                out = plus(out, at(id));
            return out;
        }
        case Term::Kind::Product: {
            std::uint64_t out = 1;
            for (const TermId id : term.args)
                out = times(out, at(id));
            return out;
        }
        }
        return 0;
    }

    const Terms& m_terms;
    const std::uint64_t m_seed;
    std::vector<std::uint64_t> m_values;
};

} // namespace

std::uint64_t oppositeInField(std::uint64_t value) {
    return minus(value);
}

std::vector<std::uint64_t> fieldValues(const Terms& terms, std::uint64_t seed) {
    return TermValues(terms, seed).take();
}

} // namespace fw
