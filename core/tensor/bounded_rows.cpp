#include "tensor/bounded_rows.h"

#include "expr/operations.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fw {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

// How far f may move where x is moved by no more than `error`; f is monotone there.
template <class Function>
double reach(Function f, double x, double error) {
    if (error == 0)
        return 0;
    const double at = f(x);
    const double moved = std::max(std::fabs(f(x + error) - at), std::fabs(f(x - error) - at));
    return std::isnan(moved) ? unbounded : moved;
}

// A NaN or an infinity that every right implementation has there, too: it came in, or exact
// operands made it (0 / 0). Any other may be the work of rounding: no bound.
double errorOfNoNumber(std::initializer_list<const BoundedRow*> operands, double value,
                       std::size_t i) {
    bool exact = true, cameIn = false;
    for (const BoundedRow* operand : operands) {
        const bool sure = operand->exact || operand->error[i] == 0;
        exact = exact && sure;
        cameIn = cameIn || (sure && std::isnan(operand->value[i].real));
    }
    return exact || (cameIn && std::isnan(value)) ? 0 : unbounded;
}

} // namespace

void spellOut(BoundedRow& row, DType dtype, std::size_t count) {
    if (!row.exact)
        return;
    row.exact = false;
    std::fill_n(row.error, count, 0.0);
    if (isFloat(dtype))
        for (std::size_t i = 0; i < count; ++i)
            row.magnitude[i] = std::fabs(row.value[i].real);
}

BoundedRows::BoundedRows(const Expr& e, const std::vector<Symbol>& variables, std::size_t along,
                         std::size_t longest,
                         const std::unordered_map<Symbol, const BoundedValues*>& tensors,
                         const BoundedOptions& options)
    : m_variables(variables.size()), m_along(along), m_longest(longest), m_sharp(options.sharp),
      m_converts(options.sharp && options.converts),
      m_ends(options.ends == BoundedOptions::Ends::All), m_wraps(options.wraps) {
    const TensorOf tensorOf = [&](Symbol name) -> const Values* {
        const auto found = tensors.find(name);
        return found == tensors.end() ? nullptr : &found->second->values;
    };
    RegisterProgram program(e, variables, {}, tensorOf, Precision::Double,
                            RegisterProgram::Sides::Both);
    m_result = program.result();
    m_rows.resize(program.registers().size());
    m_values.resize(m_rows.size() * m_longest);
    m_bounds.resize(2 * m_values.size());
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        m_rows[i].value = m_values.data() + i * m_longest;
        m_rows[i].magnitude = m_bounds.data() + 2 * i * m_longest;
        m_rows[i].error = m_rows[i].magnitude + m_longest;
    }
    fillConstants(program);
    addSteps(program.takeCode(), tensors);
}

void BoundedRows::addSteps(std::vector<Instruction> code,
                           const std::unordered_map<Symbol, const BoundedValues*>& tensors) {
    std::vector<bool> varies(m_rows.size(), false);
    if (m_along < m_variables)
        varies[m_along] = true;
    m_read.assign(m_rows.size(), false);
    m_read[static_cast<std::size_t>(m_result)] = true;
    m_steps.reserve(code.size());
    for (Instruction& instruction : code) {
        Step& step = m_steps.emplace_back();
        static_cast<Instruction&>(step) = std::move(instruction);
        const auto reads = [&](int index) {
            m_read[static_cast<std::size_t>(index)] = true;
            step.varies = step.varies || varies[static_cast<std::size_t>(index)];
        };
        for (const int index : step.indices)
            reads(index);
        if (step.tensor == nullptr)
            for (const int operand : {step.a, step.b, step.c})
                reads(operand);
        else if (step.code == Instruction::Code::LoadOr)
            reads(step.b);
        if (step.tensor != nullptr)
            step.bounded = tensors.at(step.name);
        varies[static_cast<std::size_t>(step.out)] = step.varies;
    }
}

void BoundedRows::fillConstants(const RegisterProgram& program) {
    for (const auto& [index, dtype] : program.literals()) {
        BoundedRow& constant = row(index);
        const Value value = program.registers()[static_cast<std::size_t>(index)];
        std::fill_n(constant.value, m_longest, value);
        // What a model holds of a decimal is an f32; attributes of f64 are as exact.
        const DType held = m_sharp && dtype == DType::F64 ? DType::F32 : dtype;
        const bool rounds =
            isFloat(dtype) && std::isfinite(value.real) && roundTo(value, held).real != value.real;
        if (rounds) {
            spellOut(constant, dtype, m_longest);
            std::fill_n(constant.error, m_longest, roundingUnit(held) * std::fabs(value.real));
        }
        m_constants.emplace_back(index, !rounds);
    }
}

void BoundedRows::spread(int index, std::size_t count) {
    BoundedRow& from = row(index);
    std::fill_n(from.value + 1, count - 1, from.value[0]);
    if (from.exact)
        return;
    std::fill_n(from.magnitude + 1, count - 1, from.magnitude[0]);
    std::fill_n(from.error + 1, count - 1, from.error[0]);
}

const BoundedRow& BoundedRows::run(const std::vector<std::int64_t>& at, std::size_t count) {
    m_count = count; // what is spelled out is so for all of them
    for (std::size_t v = 0; v < m_variables; ++v) {
        if (!m_read[v])
            continue;
        BoundedRow& variable = m_rows[v];
        variable.exact = true;
        if (v == m_along)
            for (std::size_t i = 0; i < count; ++i)
                variable.value[i] = intValue(at[v] + static_cast<std::int64_t>(i));
        else
            std::fill_n(variable.value, count, intValue(at[v]));
    }
    for (const auto& [index, exact] : m_constants)
        row(index).exact = exact;
    for (const Step& step : m_steps) {
        const std::size_t points = step.varies ? count : 1;
        if (step.bounded != nullptr)
            load(step, points);
        else if (step.code == Instruction::Code::Select)
            select(step, points);
        else
            apply(step, points);
        if (!step.varies && count > 1)
            spread(step.out, count);
    }
    return row(m_result);
}

void BoundedRows::load(const Step& step, std::size_t count) {
    BoundedRow& out = row(step.out);
    const Values& from = step.bounded->values;
    const bool guarded = step.code == Instruction::Code::LoadOr;
    std::int64_t offsets[width];
    bool inside[width];
    std::fill_n(offsets, count, 0);
    std::fill_n(inside, count, true);
    bool sure = true, all = true;
    for (std::size_t d = 0; d < step.indices.size(); ++d) {
        const BoundedRow& index = row(step.indices[d]);
        const std::int64_t extent = from.extents[d];
        sure = sure && index.exact;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t at = index.value[i].integer;
            inside[i] = inside[i] && at >= 0 && at < extent;
            offsets[i] = inside[i] ? offsets[i] * extent + at : 0;
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        all = all && inside[i];
    const bool real64 = isFloat(step.dtype);
    const BoundedRow& otherwise = row(guarded ? step.b : 0);
    for (std::size_t i = 0; i < count; ++i)
        out.value[i] = inside[i] ? from.data[static_cast<std::size_t>(offsets[i])]
                       : guarded ? otherwise.value[i]
                                 : Value{};
    out.exact = true;
    // Outside without a guard: in a branch that is not taken.
    if (sure && step.bounded->errors.empty() && (all || (guarded && otherwise.exact)))
        return;
    spellOut(out, step.dtype, m_count);
    for (std::size_t i = 0; i < count; ++i) {
        bool known = inside[i] || guarded;
        for (const int index : step.indices)
            known = known && (row(index).exact || row(index).error[i] == 0);
        if (!known)
            out.error[i] = unbounded;
        else if (inside[i])
            out.error[i] = step.bounded->error(static_cast<std::size_t>(offsets[i]));
        else if (!otherwise.exact) {
            out.error[i] = otherwise.error[i];
            if (real64)
                out.magnitude[i] = otherwise.magnitude[i];
        }
    }
}

void BoundedRows::select(const Step& step, std::size_t count) {
    BoundedRow &out = row(step.out), &condition = row(step.a), &yes = row(step.b),
               &no = row(step.c);
    for (std::size_t i = 0; i < count; ++i)
        out.value[i] = condition.value[i].integer != 0 ? yes.value[i] : no.value[i];
    out.exact = condition.exact && yes.exact && no.exact;
    if (out.exact)
        return;
    spellOut(condition, DType::Bool, m_count);
    spellOut(yes, step.dtype, m_count);
    spellOut(no, step.dtype, m_count);
    for (std::size_t i = 0; i < count; ++i) {
        const BoundedRow& taken = condition.value[i].integer != 0 ? yes : no;
        out.magnitude[i] = taken.magnitude[i];
        out.error[i] = taken.error[i];
        if (condition.error[i] == 0)
            continue;
        const double apart = isFloat(step.dtype)
                                 ? std::fabs(yes.value[i].real - no.value[i].real)
                                 : std::fabs(static_cast<double>(yes.value[i].integer) -
                                             static_cast<double>(no.value[i].integer));
        out.magnitude[i] = std::max(yes.magnitude[i], no.magnitude[i]);
        const double error = apart + std::max(yes.error[i], no.error[i]);
        out.error[i] = std::isnan(error) ? unbounded : error; // one of them may be no number
    }
}

// What is a little off has no bits that are known.
void BoundedRows::applyBitCast(const Step& step, std::size_t count) {
    BoundedRow &out = row(step.out), &a = row(step.a);
    out.exact = a.exact;
    for (std::size_t i = 0; i < count; ++i)
        out.value[i] = applyOperation(step, roundTo(a.value[i], step.from));
    if (out.exact)
        return;
    spellOut(a, step.from, m_count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool isReal = isFloat(step.dtype);
        out.magnitude[i] =
            isReal && std::isfinite(out.value[i].real) ? std::fabs(out.value[i].real) : 0;
        out.error[i] = a.error[i] == 0 ? 0 : unbounded;
    }
}

void BoundedRows::apply(const Step& step, std::size_t count) {
    if (step.op == ExprOp::BitCast)
        return applyBitCast(step, count);
    if (step.op == ExprOp::Cast)
        return applyCast(step, count);
    if (!isFloat(step.from))
        return applyInteger(step, count);
    if (step.op == ExprOp::Call)
        return applyMath(step, count);
    applyReal(step, count);
}

void BoundedRows::applyReal(const Step& step, std::size_t count) {
    boundReal(step, count);
    if (m_sharp)
        return sharpenReal(step, count);
    BoundedRow& out = row(step.out);
    if (out.exact || !isFloat(step.dtype))
        return;
    for (std::size_t i = 0; i < count; ++i)
        if (!std::isfinite(out.value[i].real))
            out.error[i] =
                errorOfNoNumber({&row(step.a), &row(step.b), &row(step.c)}, out.value[i].real, i);
}

// Magnitudes and errors behind one operation on floats, `count` of them.
struct BoundedRows::RealBound : Evaluate<RealBound, void, std::size_t> {
    BoundedRow &out, &a, &b, &c;
    const double u, limit;

    RealBound(BoundedRows& rows, const Step& step)
        : out(rows.row(step.out)), a(rows.row(step.a)), b(rows.row(step.b)), c(rows.row(step.c)),
          u(roundingUnit(step.from)), limit(exactIntegers(step.from)) {}

    double x(std::size_t i) const { return a.value[i].real; }
    double y(std::size_t i) const { return b.value[i].real; }
    bool areWhole(std::size_t i) const { return isWhole(x(i)) && isWhole(y(i)); }
    double carriedByProduct(std::size_t i) const {
        return std::fabs(x(i)) * b.error[i] + std::fabs(y(i)) * a.error[i] +
               a.error[i] * b.error[i];
    }
    void rounded(std::size_t i, double magnitude, double carried, bool whole) {
        out.magnitude[i] = magnitude;
        out.error[i] = carried == 0 && whole && magnitude < limit ? 0 : carried + u * magnitude;
    }

    void add(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            rounded(i, a.magnitude[i] + b.magnitude[i], a.error[i] + b.error[i], areWhole(i));
    }
    void sub(std::size_t count) { add(count); }
    void mul(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            rounded(i, a.magnitude[i] * b.magnitude[i], carriedByProduct(i), areWhole(i));
    }
    void fma(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const double magnitude = a.magnitude[i] * b.magnitude[i] + c.magnitude[i];
            const double carried =
                carriedByProduct(i) + c.error[i] + u * magnitude * (areWhole(i) ? 0 : 1);
            rounded(i, magnitude, carried, isWhole(c.value[i].real));
        }
    }
    void div(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const double divisor = std::fabs(y(i)), value = std::fabs(out.value[i].real);
            out.magnitude[i] = a.magnitude[i] / divisor;
            out.error[i] = divisor > b.error[i]
                               ? (a.error[i] + value * b.error[i]) / (divisor - b.error[i]) +
                                     4 * u * out.magnitude[i]
                               : unbounded;
        }
    }
    // Of a quotient that is rounded down, where no integer is as near as it may be off: what the
    // operands hand on, of the whole numbers and of the rest.
    template <class Surely, class Otherwise>
    void roundedDown(std::size_t count, const Surely& surely, const Otherwise& otherwise) {
        for (std::size_t i = 0; i < count; ++i) {
            out.magnitude[i] = std::fabs(out.value[i].real);
            const double quotient = x(i) / y(i);
            const double off = std::fabs(quotient - std::nearbyint(quotient));
            const double moved = (a.error[i] + std::fabs(quotient) * b.error[i]) / std::fabs(y(i)) +
                                 4 * u * std::fabs(quotient);
            const bool whole = a.error[i] + b.error[i] == 0 && areWhole(i) &&
                               std::fabs(x(i)) < limit && std::fabs(y(i)) < limit;
            out.error[i] = whole ? 0 : off > moved ? surely(i, quotient) : otherwise(i, quotient);
        }
    }
    void floorDiv(std::size_t count) {
        roundedDown(
            count, [](std::size_t, double) { return 0.0; },
            [](std::size_t, double) { return 1.0; });
    }
    void mod(std::size_t count) {
        roundedDown(
            count,
            [&](std::size_t i, double quotient) {
                return a.error[i] + std::fabs(quotient) * b.error[i] +
                       2 * u * (std::fabs(x(i)) + std::fabs(y(i)));
            },
            [&](std::size_t i, double) { return std::fabs(y(i)) + a.error[i]; });
    }
    void min(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            out.magnitude[i] = std::max(a.magnitude[i], b.magnitude[i]);
            out.error[i] = std::max(a.error[i], b.error[i]);
        }
    }
    void max(std::size_t count) { min(count); }
    void neg(std::size_t count) {
        std::copy_n(a.magnitude, count, out.magnitude);
        std::copy_n(a.error, count, out.error);
    }
    void other(ExprOp, std::size_t count) { // comparisons
        for (std::size_t i = 0; i < count; ++i) {
            const double error = a.error[i] + b.error[i];
            const bool withNan =
                (std::isnan(x(i)) && a.error[i] == 0) || (std::isnan(y(i)) && b.error[i] == 0);
            out.error[i] = error == 0 || withNan || std::fabs(x(i) - y(i)) > error ? 0 : 1;
        }
    }
};

void BoundedRows::boundReal(const Step& step, std::size_t count) {
    BoundedRow &out = row(step.out), &a = row(step.a), &b = row(step.b), &c = row(step.c);
    if (step.op == ExprOp::Mul && a.exact && b.exact && !m_sharp) {
        // The products of a contraction: nearly all there is.
        const double u = roundingUnit(step.from), limit = exactIntegers(step.from);
        out.exact = false;
        for (std::size_t i = 0; i < count; ++i) {
            const double x = a.value[i].real, y = b.value[i].real, value = x * y;
            const double magnitude = std::fabs(value);
            out.value[i].real = value;
            out.magnitude[i] = magnitude;
            out.error[i] = (isWhole(x) && isWhole(y) && magnitude < limit) || !std::isfinite(value)
                               ? 0
                               : u * magnitude;
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        out.value[i] = applyOperation(step, a.value[i], b.value[i], c.value[i]);
    const bool picks = step.op == ExprOp::Min || step.op == ExprOp::Max || step.op == ExprOp::Neg ||
                       step.dtype == DType::Bool;
    out.exact = picks && a.exact && b.exact && c.exact;
    if (out.exact)
        return;
    spellOut(a, step.from, m_count);
    spellOut(b, step.from, m_count);
    spellOut(c, step.from, m_count);
    RealBound(*this, step).of(step.op, count);
}

// How far the result of a function may move with its operands.
double BoundedRows::carried(const Step& step, std::size_t i) {
    const BoundedRow &a = row(step.a), &b = row(step.b);
    const double x = a.value[i].real, error = a.error[i];
    if (mathArity(step.fn) == 2) {
        double out = 0;
        const double y = b.value[i].real, value = evalMath(step.fn, x, y);
        for (const double dx : {-error, error})
            for (const double dy : {-b.error[i], b.error[i]})
                if (dx != 0 || dy != 0) {
                    const double off = std::fabs(evalMath(step.fn, x + dx, y + dy) - value);
                    out = std::isnan(off) ? unbounded : std::max(out, off);
                }
        return out;
    }
    if (!rowOf(step.fn).monotone)
        return error;
    // A square is not below 0, whatever it was computed as.
    const double least = step.fn == MathFn::Sqrt ? 0 : -unbounded;
    return reach([&](double v) { return evalMath(step.fn, v < least ? least : v); }, x, error);
}

// What is exact in doubles and in the type, and what NaN and infinities decide.
void BoundedRows::applyMath(const Step& step, std::size_t count) {
    BoundedRow &out = row(step.out), &a = row(step.a), &b = row(step.b);
    const MathError own = mathError(step.fn, step.from);
    const double u = roundingUnit(step.from);
    const bool exact = a.exact && b.exact && own.relative == 0 && own.absolute == 0;
    spellOut(a, step.from, m_count);
    spellOut(b, step.from, m_count);
    out.exact = false;
    for (std::size_t i = 0; i < count; ++i) {
        const double value = evalMath(step.fn, a.value[i].real, b.value[i].real);
        out.value[i].real = value;
        out.magnitude[i] = std::fabs(value);
        out.error[i] = std::isfinite(value)
                           ? carried(step, i) + own.relative * u * std::fabs(value) +
                                 (exact || value == 0 ? 0 : own.absolute)
                           : errorOfNoNumber({&a, &b}, value, i);
    }
    if (exact)
        out.exact = true;
    else if (m_sharp)
        sharpenMath(step, count);
}

void BoundedRows::applyCast(const Step& step, std::size_t count) {
    BoundedRow &out = row(step.out), &a = row(step.a);
    const auto cast = [&](Value value) { return applyOperation(step, value); };
    // From float to float the value stays: rounding is an error, not a value.
    const bool floats = isFloat(step.from) && isFloat(step.dtype);
    const double limit = exactIntegers(step.dtype);
    const bool grows =
        !m_wraps && !isFloat(step.from) && !isFloat(step.dtype) && step.dtype != DType::Bool;
    for (std::size_t i = 0; i < count; ++i)
        if (floats || grows)
            out.value[i] = a.value[i];
        else if (isFloat(step.dtype))
            out.value[i] = realValue(realOf(step.from, a.value[i].integer, DType::F64));
        else
            out.value[i] = cast(a.value[i]);
    spellOut(a, step.from, m_count);
    out.exact = false;
    const auto cut = [&](double x) { return static_cast<double>(cast(realValue(x)).integer); };
    for (std::size_t i = 0; i < count; ++i) {
        if (isFloat(step.dtype)) {
            // A conversion is an operation, whose result is known where its operand is.
            if (m_converts && a.error[i] == 0) {
                const Value rounded = floats ? roundTo(a.value[i], step.dtype) : cast(a.value[i]);
                if (!floats || std::isfinite(rounded.real) || !std::isfinite(a.value[i].real)) {
                    out.value[i] = rounded;
                    out.magnitude[i] = std::fabs(rounded.real);
                    out.error[i] = 0;
                    continue;
                }
            }
            const double value = out.value[i].real;
            out.magnitude[i] = floats ? a.magnitude[i] : std::fabs(value);
            const bool fits = a.error[i] == 0 && (roundTo(out.value[i], step.dtype).real == value ||
                                                  (!floats && std::fabs(value) < limit));
            out.error[i] = fits                   ? 0
                           : std::isfinite(value) ? a.error[i] + roundingError(step.dtype, value)
                                                  : a.error[i];
            if (m_sharp && std::isnan(value))
                out.error[i] = unbounded;
        } else if (isFloat(step.from)) {
            out.error[i] =
                std::isfinite(a.error[i]) ? reach(cut, a.value[i].real, a.error[i]) : unbounded;
        } else {
            out.error[i] = a.error[i];
        }
    }
}

} // namespace fw
