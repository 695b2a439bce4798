#include "verdict/smt.h"

#include "expr/scalar.h"
#include "verdict/field.h"

#include <cmath>
#include <map>
#include <z3++.h>

namespace fw {

namespace {

constexpr std::size_t mostNodes = 100;       // of both terms; what was ever shown has 40
constexpr std::size_t mostNodesOfRoots = 12; // where roots are computed with

struct NotExpressed {};
struct TooLarge {};

class Encoding {
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
    z3::expr of(TermId id) {
        if (const auto known = m_known.find(id); known != m_known.end())
            return known->second;
        if (m_known.size() >= mostNodes)
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
                                    : m_context.bv_sort(bitsOf(dtype));
    }

    static unsigned bitsOf(DType dtype) { return static_cast<unsigned>(8 * dtypeBytes(dtype)); }

    z3::expr integer(std::int64_t value, DType dtype) {
        return m_context.bv_val(value, bitsOf(dtype));
    }

    static bool isUnsigned(DType dtype) { return leastOf(dtype) == 0; }

    z3::expr less(const z3::expr& a, const z3::expr& b, DType dtype, bool orEqual) {
        if (isFloat(dtype) || !isUnsigned(dtype))
            return orEqual ? a <= b : a < b;
        return orEqual ? z3::ule(a, b) : z3::ult(a, b);
    }

    z3::expr real(double value) {
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
                                             : integer(term.integer, term.dtype);
        case Term::Kind::Real:
            return real(term.real);
        case Term::Kind::Apply:
            return apply(term);
        case Term::Kind::Call:
            return call(term);
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

    z3::expr apply(const Term& term) {
        const auto arg = [&](std::size_t i) { return of(term.args[i]); };
        const bool real = isFloat(term.dtype);
        switch (term.op) {
        case ExprOp::Add:
            return arg(0) + arg(1);
        case ExprOp::Sub:
            return arg(0) - arg(1);
        case ExprOp::Mul:
            return arg(0) * arg(1);
        case ExprOp::Fma:
            return arg(0) * arg(1) + arg(2);
        case ExprOp::Neg:
            return -arg(0);
        case ExprOp::Div:
            if (real)
                return arg(0) / arg(1);
            break;
        case ExprOp::Min:
        case ExprOp::Max: {
            z3::expr out = arg(0);
            for (std::size_t i = 1; i < term.args.size(); ++i)
                out = term.op == ExprOp::Max
                          ? z3::ite(less(arg(i), out, term.dtype, true), out, arg(i))
                          : z3::ite(less(out, arg(i), term.dtype, true), out, arg(i));
            return out;
        }
        case ExprOp::Eq:
            return arg(0) == arg(1);
        case ExprOp::Ne:
            return arg(0) != arg(1);
        case ExprOp::Lt:
            return compared(term, false);
        case ExprOp::Le:
            return compared(term, true);
        case ExprOp::And:
            return arg(0) && arg(1);
        case ExprOp::Or:
            return arg(0) || arg(1);
        case ExprOp::Not:
            return !arg(0);
        case ExprOp::Select:
            return z3::ite(arg(0), arg(1), arg(2));
        case ExprOp::Cast:
            return cast(term, arg(0));
        default:
            break;
        }
        return unknown(term, std::string("op") + std::to_string(static_cast<int>(term.op)));
    }

    z3::expr compared(const Term& term, bool orEqual) {
        const z3::expr a = of(term.args[0]), b = of(term.args[1]);
        if (a.is_bool())
            throw NotExpressed();
        return less(a, b, m_terms[term.args[0]].dtype, orEqual);
    }

    z3::expr cast(const Term& term, const z3::expr& from) {
        const DType own = m_terms[term.args[0]].dtype;
        if (from.is_bool()) {
            if (isFloat(term.dtype))
                return z3::ite(from, m_context.real_val(1), m_context.real_val(0));
            return z3::ite(from, integer(1, term.dtype), integer(0, term.dtype));
        }
        if (term.dtype == DType::Bool)
            return isFloat(own) ? from != m_context.real_val(0) : from != integer(0, own);
        if (isFloat(own) && keepsValues(own, term.dtype))
            return from;
        if (isFloat(own) || isFloat(term.dtype)) // rounded, cut
            return unknown(term, "converted_" + std::string(dtypeText(own)));
        const unsigned wide = bitsOf(term.dtype), narrow = bitsOf(own);
        if (wide <= narrow)
            return wide == narrow ? from : from.extract(wide - 1, 0);
        return isUnsigned(own) ? z3::zext(from, wide - narrow) : z3::sext(from, wide - narrow);
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

    z3::expr call(const Term& term) {
        if (!isFloat(term.dtype))
            return ofIntegers(term);
        const z3::expr x = of(term.args[0]), none = m_context.real_val(0),
                       one = m_context.real_val(1);
        const auto function = [&](MathFn fn, const z3::expr& at) {
            return m_context.function(std::string(mathName(fn)).c_str(), m_context.real_sort(),
                                      m_context.real_sort())(at);
        };
        const auto exponential = [&](const z3::expr& at) {
            const z3::expr out = function(MathFn::Exp, at);
            m_solver.add(out > none);
            m_solver.add(out * function(MathFn::Exp, -at) == one);
            return out;
        };
        const auto root = [&] {
            const z3::expr out = function(MathFn::Sqrt, x);
            m_solver.add(z3::implies(x >= none, out >= none && out * out == x));
            m_solver.add(z3::implies(x > none, out > none));
            return out;
        };
        switch (term.fn) {
        case MathFn::Exp:
            return exponential(x);
        case MathFn::Sigmoid:
            return one / (one + exponential(-x));
        case MathFn::Tanh: {
            const z3::expr out = function(MathFn::Tanh, x);
            m_solver.add(out > -one && out < one);
            m_solver.add((out > none) == (x > none) && (out < none) == (x < none));
            m_solver.add(function(MathFn::Tanh, -x) == -out);
            return out;
        }
        case MathFn::Sqrt:
            return root();
        case MathFn::Rsqrt:
            return one / root();
        case MathFn::Abs:
            return z3::ite(x >= none, x, -x);
        case MathFn::Sign:
            return z3::ite(x > none, one, z3::ite(x < none, -one, none));
        case MathFn::Floor:
            return z3::to_real(z3::expr(m_context, Z3_mk_real2int(m_context, x)));
        case MathFn::Ceil:
            return -z3::to_real(z3::expr(m_context, Z3_mk_real2int(m_context, -x)));
        case MathFn::Pow:
            if (const Term& exponent = m_terms[term.args[1]];
                exponent.kind == Term::Kind::Real && exponent.real == 2)
                return x * x;
            break;
        default:
            break;
        }
        return unknown(term, std::string(mathName(term.fn)));
    }

    z3::expr ofIntegers(const Term& term) {
        const z3::expr x = of(term.args[0]), none = integer(0, term.dtype);
        const z3::expr negative = less(x, none, term.dtype, false);
        if (term.fn == MathFn::Abs)
            return z3::ite(negative, -x, x);
        if (term.fn == MathFn::Sign)
            return z3::ite(negative, integer(-1, term.dtype),
                           z3::ite(x == none, none, integer(1, term.dtype)));
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
