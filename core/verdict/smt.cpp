#include "verdict/smt.h"

#include "expr/evaluate.h"
#include "expr/scalar.h"
#include "verdict/field.h"

#include <cmath>
#include <map>
#include <z3++.h>

namespace fw {

namespace {

constexpr std::size_t mostTermNodes = 100;   // of both terms; what was ever shown has 40
constexpr std::size_t mostNodesOfRoots = 12; // where roots are computed with

struct NotExpressed {};
struct TooLarge {};

class Encoding : private Evaluate<Encoding, z3::expr, const Term&> {
public:
    Encoding(z3::context& context, const Terms& terms, const std::vector<std::uint64_t>& values)
        : m_terms(terms), m_values(values), m_context(context),
          m_solver(m_context, z3::solver::simple()) {
        z3::params params(m_context);
        params.set("rlimit", Solver::effort);
        m_solver.set(params);
    }

    bool equal(TermId a, TermId b) {
        const z3::expr left = of(a), right = of(b);
        // Its arithmetic of algebraic numbers counts no effort: roots of sums took hours.
        z3::params params(m_context);
        params.set("arith.nl.nra", m_known.size() <= mostNodesOfRoots);
        m_solver.set(params);
        m_solver.add(left != right);
        return m_solver.check() == z3::unsat;
    }

private:
    friend Evaluate;
    using Evaluate::of;
    z3::expr of(TermId id) {
        if (const auto known = m_known.find(id); known != m_known.end())
            return known->second;
        if (m_known.size() >= mostTermNodes)
            throw TooLarge();
        const Term& term = m_terms[id];
        const std::uint64_t value = m_values[static_cast<std::size_t>(id)];
        if (term.dtype != DType::Bool)
            for (const bool opposite : {false, true})
                if (const auto same =
                        m_ofValue.find({term.dtype, opposite ? oppositeInField(value) : value});
                    same != m_ofValue.end())
                    return m_known.emplace(id, opposite ? -same->second : same->second)
                        .first->second;
        z3::expr out = encoded(term);
        m_known.emplace(id, out);
        m_ofValue.emplace(std::pair(term.dtype, value), out);
        return out;
    }

    z3::sort sortOf(DType dtype) {
        return dtype == DType::Bool ? m_context.bool_sort()
               : isFloat(dtype)     ? m_context.real_sort()
                                    : m_context.bv_sort(widthOf(dtype));
    }

    static unsigned widthOf(DType dtype) { return static_cast<unsigned>(8 * dtypeBytes(dtype)); }

    z3::expr bitsOf(std::int64_t value, DType dtype) {
        return m_context.bv_val(value, widthOf(dtype));
    }

    static bool isUnsigned(DType dtype) { return leastOf(dtype) == 0; }

    z3::expr less(const z3::expr& a, const z3::expr& b, DType dtype, bool orEqual) {
        if (isFloat(dtype) || !isUnsigned(dtype))
            return orEqual ? a <= b : a < b;
        return orEqual ? z3::ule(a, b) : z3::ult(a, b);
    }

    z3::expr numberOf(double value) {
        if (!std::isfinite(value))
            throw NotExpressed();
        int exponent = 0;
        const auto mantissa =
            static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
        z3::expr out = m_context.real_val(mantissa);
        constexpr int step = 60;
        for (exponent -= 53; exponent != 0;) {
            const int part = std::min(std::abs(exponent), step);
            const z3::expr scale = m_context.real_val(std::int64_t(1) << part);
            out = exponent < 0 ? out / scale : out * scale;
            exponent += exponent < 0 ? part : -part;
        }
        return out.simplify();
    }

    z3::expr encoded(const Term& term) {
        switch (term.kind) {
        case Term::Kind::Leaf:
            return m_context.constant(m_context.int_symbol(static_cast<int>(term.integer)),
                                      sortOf(term.dtype));
        case Term::Kind::Integer:
            return term.dtype == DType::Bool ? m_context.bool_val(term.integer != 0)
                                             : bitsOf(term.integer, term.dtype);
        case Term::Kind::Real:
            return numberOf(term.real);
        case Term::Kind::Apply:
            return of(term.op, term);
        case Term::Kind::Call:
            return isFloat(term.dtype) ? of(term.fn, term) : ofIntegers(term);
        case Term::Kind::Sum:
        case Term::Kind::Product: {
            z3::expr out = of(term.args[0]);
            for (std::size_t i = 1; i < term.args.size(); ++i)
                out =
                    term.kind == Term::Kind::Sum ? out + of(term.args[i]) : out * of(term.args[i]);
            return out;
        }
        }
        throw NotExpressed();
    }

    z3::expr operand(const Term& term, std::size_t i) { return of(term.args[i]); }

    z3::expr add(const Term& term) { return operand(term, 0) + operand(term, 1); }
    z3::expr sub(const Term& term) { return operand(term, 0) - operand(term, 1); }
    z3::expr mul(const Term& term) { return operand(term, 0) * operand(term, 1); }
    z3::expr fma(const Term& term) { return mul(term) + operand(term, 2); }
    z3::expr neg(const Term& term) { return -operand(term, 0); }
    z3::expr div(const Term& term) {
        return isFloat(term.dtype) ? operand(term, 0) / operand(term, 1) : other(ExprOp::Div, term);
    }
    z3::expr min(const Term& term) { return extreme(term, false); }
    z3::expr max(const Term& term) { return extreme(term, true); }
    z3::expr eq(const Term& term) { return operand(term, 0) == operand(term, 1); }
    z3::expr ne(const Term& term) { return operand(term, 0) != operand(term, 1); }
    z3::expr lt(const Term& term) { return compared(term, false); }
    z3::expr le(const Term& term) { return compared(term, true); }
    z3::expr both(const Term& term) { return operand(term, 0) && operand(term, 1); }
    z3::expr either(const Term& term) { return operand(term, 0) || operand(term, 1); }
    z3::expr opposite(const Term& term) { return !operand(term, 0); }
    z3::expr select(const Term& term) {
        return z3::ite(operand(term, 0), operand(term, 1), operand(term, 2));
    }
    z3::expr other(ExprOp op, const Term& term) {
        return unknown(term, "op" + std::to_string(static_cast<int>(op)));
    }

    z3::expr extreme(const Term& term, bool wantsMax) {
        z3::expr out = operand(term, 0);
        for (std::size_t i = 1; i < term.args.size(); ++i) {
            const z3::expr next = operand(term, i);
            const z3::expr keeps =
                wantsMax ? less(next, out, term.dtype, true) : less(out, next, term.dtype, true);
            out = z3::ite(keeps, out, next);
        }
        return out;
    }

    z3::expr compared(const Term& term, bool orEqual) {
        const z3::expr a = of(term.args[0]), b = of(term.args[1]);
        if (a.is_bool())
            throw NotExpressed();
        return less(a, b, m_terms[term.args[0]].dtype, orEqual);
    }

    z3::expr cast(const Term& term) {
        const z3::expr from = operand(term, 0);
        const DType own = m_terms[term.args[0]].dtype;
        if (from.is_bool()) {
            if (isFloat(term.dtype))
                return z3::ite(from, m_context.real_val(1), m_context.real_val(0));
            return z3::ite(from, bitsOf(1, term.dtype), bitsOf(0, term.dtype));
        }
        if (term.dtype == DType::Bool)
            return isFloat(own) ? from != m_context.real_val(0) : from != bitsOf(0, own);
        if (isFloat(own) && keepsValues(own, term.dtype))
            return from;
        if (isFloat(own) || isFloat(term.dtype)) // rounded, cut
            return unknown(term, "converted_" + std::string(dtypeText(own)));
        const unsigned wide = widthOf(term.dtype), narrow = widthOf(own);
        if (wide <= narrow)
            return wide == narrow ? from : from.extract(wide - 1, 0);
        return isUnsigned(own) ? z3::zext(from, wide - narrow) : z3::sext(from, wide - narrow);
    }

    z3::expr bitCast(const Term& term) {
        return unknown(term, "bits_of_" + std::string(dtypeText(m_terms[term.args[0]].dtype)));
    }

    // A function of which only is known that it is one.
    z3::expr unknown(const Term& term, const std::string& name) {
        z3::sort_vector sorts(m_context);
        z3::expr_vector args(m_context);
        std::string typed = name + "_" + std::string(dtypeText(term.dtype));
        for (const TermId id : term.args) {
            args.push_back(of(id));
            sorts.push_back(args.back().get_sort());
            typed += "_" + args.back().get_sort().to_string();
        }
        return m_context.function(typed.c_str(), sorts, sortOf(term.dtype))(args);
    }

    z3::expr nothing() { return m_context.real_val(0); }
    z3::expr one() { return m_context.real_val(1); }
    z3::expr function(MathFn fn, const z3::expr& at) {
        return m_context.function(std::string(mathName(fn)).c_str(), m_context.real_sort(),
                                  m_context.real_sort())(at);
    }
    z3::expr exponential(const z3::expr& at) {
        const z3::expr out = function(MathFn::Exp, at);
        m_solver.add(out > nothing());
        m_solver.add(out * function(MathFn::Exp, -at) == one());
        return out;
    }
    z3::expr wholePartOf(const z3::expr& x) {
        return z3::to_real(z3::expr(m_context, Z3_mk_real2int(m_context, x)));
    }

    z3::expr exp(const Term& term) { return exponential(operand(term, 0)); }
    z3::expr sigmoid(const Term& term) { return one() / (one() + exponential(-operand(term, 0))); }
    z3::expr tanh(const Term& term) {
        const z3::expr x = operand(term, 0), out = function(MathFn::Tanh, x);
        m_solver.add(out > -one() && out < one());
        m_solver.add((out > nothing()) == (x > nothing()) && (out < nothing()) == (x < nothing()));
        m_solver.add(function(MathFn::Tanh, -x) == -out);
        return out;
    }
    z3::expr sqrt(const Term& term) {
        const z3::expr x = operand(term, 0), out = function(MathFn::Sqrt, x);
        m_solver.add(z3::implies(x >= nothing(), out >= nothing() && out * out == x));
        m_solver.add(z3::implies(x > nothing(), out > nothing()));
        return out;
    }
    z3::expr rsqrt(const Term& term) { return one() / sqrt(term); }
    z3::expr abs(const Term& term) {
        const z3::expr x = operand(term, 0);
        return z3::ite(x >= nothing(), x, -x);
    }
    z3::expr sign(const Term& term) {
        const z3::expr x = operand(term, 0);
        return z3::ite(x > nothing(), one(), z3::ite(x < nothing(), -one(), nothing()));
    }
    z3::expr floor(const Term& term) { return wholePartOf(operand(term, 0)); }
    z3::expr ceil(const Term& term) { return -wholePartOf(-operand(term, 0)); }
    z3::expr pow(const Term& term) {
        const Term& exponent = m_terms[term.args[1]];
        if (exponent.kind != Term::Kind::Real || exponent.real != 2)
            return other(MathFn::Pow, term);
        const z3::expr x = operand(term, 0);
        return x * x;
    }
    z3::expr other(MathFn fn, const Term& term) { return unknown(term, std::string(mathName(fn))); }

    z3::expr ofIntegers(const Term& term) {
        const z3::expr x = operand(term, 0), none = bitsOf(0, term.dtype);
        const z3::expr negative = less(x, none, term.dtype, false);
        if (term.fn == MathFn::Abs)
            return z3::ite(negative, -x, x);
        if (term.fn == MathFn::Sign)
            return z3::ite(negative, bitsOf(-1, term.dtype),
                           z3::ite(x == none, none, bitsOf(1, term.dtype)));
        throw NotExpressed();
    }

    const Terms& m_terms;
    const std::vector<std::uint64_t>& m_values;
    z3::context& m_context;
    z3::solver m_solver;
    std::map<TermId, z3::expr> m_known;
    std::map<std::pair<DType, std::uint64_t>, z3::expr> m_ofValue;
};

} // namespace

struct Solver::Context {
    z3::context context;
};

Solver::Solver() = default;
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

std::optional<bool> Solver::equal(const Terms& terms, const std::vector<std::uint64_t>& values,
                                  TermId a, TermId b) {
    try {
        if (!m_context)
            m_context = std::make_unique<Context>();
        return Encoding(m_context->context, terms, values).equal(a, b);
    } catch (const TooLarge&) {
        return std::nullopt;
    } catch (const NotExpressed&) {
        return false;
    } catch (const z3::exception&) {
        return false; // two sorts in one operation, or the effort is spent
    }
}

} // namespace fw
