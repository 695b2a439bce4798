#include "tensor/bounded_rows.h"

#include "base/result.h"
#include "expr/scalar.h"

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
    : m_variables(variables), m_along(along), m_longest(longest), m_sharp(options.sharp),
      m_converts(options.sharp && options.converts),
      m_ends(options.ends == BoundedOptions::Ends::All), m_wraps(options.wraps), m_tensors(tensors),
      m_read(variables.size(), false) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
        m_types.push_back(DType::I64);
        m_varies.push_back(i == along);
    }
    m_result = compile(e);
    m_rows.resize(m_types.size());
    m_values.resize(m_rows.size() * m_longest);
    m_bounds.resize(2 * m_values.size());
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        m_rows[i].value = m_values.data() + i * m_longest;
        m_rows[i].magnitude = m_bounds.data() + 2 * i * m_longest;
        m_rows[i].error = m_rows[i].magnitude + m_longest;
    }
    fillConstants();
}

void BoundedRows::fillConstants() {
    for (Constant& one : m_constants) {
        BoundedRow& constant = row(one.row);
        const DType dtype = m_types[static_cast<std::size_t>(one.row)];
        std::fill_n(constant.value, m_longest, one.value);
        // What a model holds of a decimal is an f32; attributes of f64 are as exact.
        const DType held = m_sharp && dtype == DType::F64 ? DType::F32 : dtype;
        if (isFloat(dtype) && std::isfinite(one.value.real) &&
            roundTo(one.value, held).real != one.value.real) {
            spellOut(constant, dtype, m_longest);
            std::fill_n(constant.error, m_longest, roundingUnit(held) * std::fabs(one.value.real));
            one.exact = false;
        }
    }
}

int BoundedRows::add(Step step) {
    step.out = static_cast<int>(m_types.size());
    const auto varies = [&](int index) { return bool(m_varies[static_cast<std::size_t>(index)]); };
    switch (step.code) {
    case Code::Load:
        step.varies = std::any_of(step.indices.begin(), step.indices.end(), varies) ||
                      (step.guarded && varies(step.b));
        break;
    case Code::Select:
    case Code::Apply:
        step.varies = varies(step.a) || varies(step.b) || varies(step.c);
        break;
    }
    m_types.push_back(step.dtype);
    m_varies.push_back(step.varies);
    m_steps.push_back(std::move(step));
    return static_cast<int>(m_types.size()) - 1;
}

int BoundedRows::compile(const Expr& e) {
    Step step;
    step.op = e.op();
    step.dtype = e.dtype();
    switch (e.op()) {
    case ExprOp::Var: {
        const auto found = std::find(m_variables.begin(), m_variables.end(), e->symbol);
        if (found == m_variables.end())
            throw InternalError("a variable without a value: " + e.text());
        m_read[static_cast<std::size_t>(found - m_variables.begin())] = true;
        return static_cast<int>(found - m_variables.begin());
    }
    case ExprOp::Load:
        return compileLoad(e, -1);
    case ExprOp::Pad:
        return compileLoad(e.arg(0), compile(e.arg(1)));
    case ExprOp::Int:
    case ExprOp::Float:
        m_types.push_back(e.dtype());
        m_varies.push_back(false);
        m_constants.push_back({static_cast<int>(m_types.size()) - 1,
                               e.isInt() && !isFloat(e.dtype()) ? intValue(e->integer)
                               : e.isInt()                      ? realValue(double(e->integer))
                                                                : realValue(e->real),
                               true});
        return static_cast<int>(m_types.size()) - 1;
    case ExprOp::Select:
        step.code = Code::Select;
        step.a = compile(e.arg(0));
        step.b = compile(e.arg(1));
        step.c = compile(e.arg(2));
        return add(std::move(step));
    default:
        break;
    }
    step.fn = e->fn;
    step.from = e.arg(0).dtype();
    step.a = step.b = step.c = compile(e.arg(0));
    if (e.args().size() > 1)
        step.b = compile(e.arg(1));
    if (e.args().size() > 2)
        step.c = compile(e.arg(2));
    return add(std::move(step));
}

int BoundedRows::compileLoad(const Expr& e, int otherwise) {
    const auto tensor = m_tensors.find(e->symbol);
    if (tensor == m_tensors.end() || tensor->second->values.extents.size() != e.args().size())
        throw InternalError("a read of a tensor that is not there: " + e.text());
    Step step;
    step.code = Code::Load;
    step.dtype = e.dtype();
    step.tensor = tensor->second;
    step.guarded = otherwise >= 0;
    step.b = std::max(otherwise, 0);
    for (const Expr& index : e.args())
        step.indices.push_back(compile(index));
    return add(std::move(step));
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
    for (std::size_t v = 0; v < m_variables.size(); ++v) {
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
    for (const Constant& one : m_constants)
        row(one.row).exact = one.exact;
    for (const Step& step : m_steps) {
        const std::size_t points = step.varies ? count : 1;
        switch (step.code) {
        case Code::Load:
            load(step, points);
            break;
        case Code::Select:
            select(step, points);
            break;
        case Code::Apply:
            apply(step, points);
            break;
        }
        if (!step.varies && count > 1)
            spread(step.out, count);
    }
    return row(m_result);
}

void BoundedRows::load(const Step& step, std::size_t count) {
    BoundedRow& out = row(step.out);
    const Values& from = step.tensor->values;
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
    const BoundedRow& otherwise = row(step.b);
    for (std::size_t i = 0; i < count; ++i)
        out.value[i] = inside[i]      ? from.data[static_cast<std::size_t>(offsets[i])]
                       : step.guarded ? otherwise.value[i]
                                      : Value{};
    out.exact = true;
    // Outside without a guard: in a branch that is not taken.
    if (sure && step.tensor->errors.empty() && (all || (step.guarded && otherwise.exact)))
        return;
    spellOut(out, step.dtype, m_count);
    for (std::size_t i = 0; i < count; ++i) {
        bool known = inside[i] || step.guarded;
        for (const int index : step.indices)
            known = known && (row(index).exact || row(index).error[i] == 0);
        if (!known)
            out.error[i] = unbounded;
        else if (inside[i])
            out.error[i] = step.tensor->error(static_cast<std::size_t>(offsets[i]));
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

void BoundedRows::apply(const Step& step, std::size_t count) {
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

void BoundedRows::boundReal(const Step& step, std::size_t count) {
    BoundedRow &out = row(step.out), &a = row(step.a), &b = row(step.b), &c = row(step.c);
    const double u = roundingUnit(step.from), limit = exactIntegers(step.from);
    if (step.op == ExprOp::Mul && a.exact && b.exact && !m_sharp) {
        // The products of a contraction: nearly all there is.
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
    Instruction plain;
    plain.op = step.op;
    plain.from = step.from;
    plain.dtype = step.dtype;
    for (std::size_t i = 0; i < count; ++i)
        out.value[i] = applyInstruction(plain, a.value[i], b.value[i], c.value[i]);
    const bool exact = a.exact && b.exact && c.exact;
    switch (step.op) {
    case ExprOp::Min:
    case ExprOp::Max:
    case ExprOp::Neg:
    case ExprOp::Eq:
    case ExprOp::Ne:
    case ExprOp::Lt:
    case ExprOp::Le:
        out.exact = exact;
        if (exact)
            return;
        break;
    default:
        out.exact = false;
        break;
    }
    spellOut(a, step.from, m_count);
    spellOut(b, step.from, m_count);
    spellOut(c, step.from, m_count);
    const auto x = [&](std::size_t i) { return a.value[i].real; };
    const auto y = [&](std::size_t i) { return b.value[i].real; };
    const auto rounded = [&](std::size_t i, double carried, bool whole) {
        out.error[i] =
            carried == 0 && whole && out.magnitude[i] < limit ? 0 : carried + u * out.magnitude[i];
    };
    switch (step.op) {
    case ExprOp::Add:
    case ExprOp::Sub:
        for (std::size_t i = 0; i < count; ++i) {
            out.magnitude[i] = a.magnitude[i] + b.magnitude[i];
            rounded(i, a.error[i] + b.error[i], isWhole(x(i)) && isWhole(y(i)));
        }
        return;
    case ExprOp::Mul:
        for (std::size_t i = 0; i < count; ++i) {
            out.magnitude[i] = a.magnitude[i] * b.magnitude[i];
            rounded(i,
                    std::fabs(x(i)) * b.error[i] + std::fabs(y(i)) * a.error[i] +
                        a.error[i] * b.error[i],
                    isWhole(x(i)) && isWhole(y(i)));
        }
        return;
    case ExprOp::Fma:
        for (std::size_t i = 0; i < count; ++i) {
            out.magnitude[i] = a.magnitude[i] * b.magnitude[i] + c.magnitude[i];
            rounded(i,
                    std::fabs(x(i)) * b.error[i] + std::fabs(y(i)) * a.error[i] +
                        a.error[i] * b.error[i] + c.error[i] +
                        u * out.magnitude[i] * (isWhole(x(i)) && isWhole(y(i)) ? 0 : 1),
                    isWhole(c.value[i].real));
        }
        return;
    case ExprOp::Div:
        for (std::size_t i = 0; i < count; ++i) {
            const double divisor = std::fabs(y(i)), value = std::fabs(out.value[i].real);
            out.magnitude[i] = a.magnitude[i] / divisor;
            out.error[i] = divisor > b.error[i]
                               ? (a.error[i] + value * b.error[i]) / (divisor - b.error[i]) +
                                     4 * u * out.magnitude[i]
                               : unbounded;
        }
        return;
    case ExprOp::FloorDiv:
    case ExprOp::Mod:
        for (std::size_t i = 0; i < count; ++i) {
            out.magnitude[i] = std::fabs(out.value[i].real);
            const double quotient = x(i) / y(i);
            const double off = std::fabs(quotient - std::nearbyint(quotient));
            const bool whole = a.error[i] + b.error[i] == 0 && isWhole(x(i)) && isWhole(y(i)) &&
                               std::fabs(x(i)) < limit && std::fabs(y(i)) < limit;
            const double moved = (a.error[i] + std::fabs(quotient) * b.error[i]) / std::fabs(y(i)) +
                                 4 * u * std::fabs(quotient);
            if (whole)
                out.error[i] = 0;
            else if (!(off > moved))
                out.error[i] = step.op == ExprOp::Mod ? std::fabs(y(i)) + a.error[i] : 1;
            else
                out.error[i] = step.op == ExprOp::Mod
                                   ? a.error[i] + std::fabs(quotient) * b.error[i] +
                                         2 * u * (std::fabs(x(i)) + std::fabs(y(i)))
                                   : 0;
        }
        return;
    case ExprOp::Min:
    case ExprOp::Max:
        for (std::size_t i = 0; i < count; ++i) {
            out.magnitude[i] = std::max(a.magnitude[i], b.magnitude[i]);
            out.error[i] = std::max(a.error[i], b.error[i]);
        }
        return;
    case ExprOp::Neg:
        for (std::size_t i = 0; i < count; ++i) {
            out.magnitude[i] = a.magnitude[i];
            out.error[i] = a.error[i];
        }
        return;
    default: // comparisons
        for (std::size_t i = 0; i < count; ++i) {
            const double error = a.error[i] + b.error[i];
            const bool withNan =
                (std::isnan(x(i)) && a.error[i] == 0) || (std::isnan(y(i)) && b.error[i] == 0);
            out.error[i] = error == 0 || withNan || std::fabs(x(i) - y(i)) > error ? 0 : 1;
        }
        return;
    }
}

// What is exact in doubles and in the type, and what NaN and infinities decide.
void BoundedRows::applyMath(const Step& step, std::size_t count) {
    BoundedRow &out = row(step.out), &a = row(step.a), &b = row(step.b);
    const MathError own = mathError(step.fn, step.from);
    const double u = roundingUnit(step.from);
    const bool exact = a.exact && b.exact && own.relative == 0 && own.absolute == 0;
    const auto f = [&](double x) { return evalMath(step.fn, x); };
    spellOut(a, step.from, m_count);
    spellOut(b, step.from, m_count);
    out.exact = false;
    for (std::size_t i = 0; i < count; ++i) {
        const double x = a.value[i].real, y = b.value[i].real, error = a.error[i];
        const double value = evalMath(step.fn, x, y);
        out.value[i].real = value;
        out.magnitude[i] = std::fabs(value);
        double carried = 0;
        switch (step.fn) {
        case MathFn::Sin:
        case MathFn::Cos:
        case MathFn::Abs:
            carried = error;
            break;
        case MathFn::Sqrt: // a square is not below 0, whatever it was computed as
            carried = reach([](double v) { return std::sqrt(std::max(v, 0.0)); }, x, error);
            break;
        case MathFn::Pow:
            for (const double dx : {-error, error})
                for (const double dy : {-b.error[i], b.error[i]})
                    if (dx != 0 || dy != 0) {
                        const double off = std::fabs(std::pow(x + dx, y + dy) - value);
                        carried = std::isnan(off) ? unbounded : std::max(carried, off);
                    }
            break;
        default:
            carried = reach(f, x, error);
            break;
        }
        out.error[i] = std::isfinite(value) ? carried + own.relative * u * std::fabs(value) +
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
    Instruction plain;
    plain.op = ExprOp::Cast;
    plain.from = step.from;
    plain.dtype = step.dtype;
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
            out.value[i] = applyInstruction(plain, a.value[i], a.value[i], a.value[i]);
    spellOut(a, step.from, m_count);
    out.exact = false;
    const auto cut = [&](double x) {
        return static_cast<double>(
            applyInstruction(plain, realValue(x), realValue(x), realValue(x)).integer);
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (isFloat(step.dtype)) {
            // A conversion is an operation, whose result is known where its operand is.
            if (m_converts && a.error[i] == 0) {
                const Value rounded =
                    floats ? roundTo(a.value[i], step.dtype)
                           : applyInstruction(plain, a.value[i], a.value[i], a.value[i]);
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
