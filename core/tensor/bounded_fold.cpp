#include "tensor/bounded_fold.h"

#include "base/numbers.h"

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

constexpr double sharpParts = 256;

// What a sum or product of `terms` roundings may err by, of the magnitudes.
double gamma(double terms, double u) {
    return terms * u < 1 ? terms * u / (1 - terms * u) : unbounded;
}

} // namespace

BoundedFold::BoundedFold(Reducer reducer, DType dtype, const BoundedOptions& options)
    : m_reducer(reducer), m_dtype(dtype), m_sharp(options.sharp),
      m_ends(options.ends == BoundedOptions::Ends::All), m_wraps(options.wraps),
      m_parts(options.sharp ? sharpParts : 1) {
    if (reducer == Reducer::None)
        return; // a map folds nothing
    const Expr identity = reducerIdentity(reducer, dtype);
    if (identity.isInt() && !isFloat(dtype))
        m_start.value.integer = identity->integer;
    else
        m_start.value.real =
            identity.isInt() ? static_cast<double>(identity->integer) : identity->real;
    if (reducer == Reducer::Prod)
        m_start.magnitude = 1;
}

void BoundedFold::add(Accumulated& to, const BoundedRow& row, std::size_t i) const {
    const double error = row.exact ? 0 : row.error[i];
    if (!isFloat(m_dtype)) {
        if (!m_wraps && overflows(to.value.integer, row.value[i].integer))
            to.error = unbounded;
        to.value.integer = combined(to.value.integer, row.value[i].integer);
        to.error = m_reducer == Reducer::Sum ? to.error + error : std::max(to.error, error);
        return;
    }
    const double value = row.value[i].real;
    const double magnitude = row.exact ? std::fabs(value) : row.magnitude[i];
    to.nan = to.nan || (std::isnan(value) && error == 0);
    to.given = to.given && std::isfinite(value);
    switch (m_reducer) {
    case Reducer::Sum:
        to.value.real += value;
        to.magnitude += magnitude;
        to.error += error;
        to.broken += isWhole(value * m_parts) ? 0 : 1;
        return;
    case Reducer::Prod:
        to.value.real *= value;
        to.magnitude *= std::max(magnitude, std::fabs(value) + error);
        to.error = std::max(to.error, error);
        to.broken += isWhole(value) ? 0 : 1;
        return;
    case Reducer::Max:
    case Reducer::Min:
    case Reducer::None:
        break;
    }
    const bool later = m_reducer == Reducer::Max ? value > to.value.real : value < to.value.real;
    if (std::isnan(value) || later)
        to.value.real = value;
    to.error = std::max(to.error, error);
}

void BoundedFold::addEach(std::vector<Accumulated>& to, const BoundedRow& row,
                          std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
        add(to[i], row, i);
}

void BoundedFold::addAll(Accumulated& to, const BoundedRow& row, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
        add(to, row, i);
}

double BoundedFold::errorOf(const Accumulated& all, std::int64_t terms) const {
    if (!m_sharp && isFloat(m_dtype) && !std::isfinite(all.value.real))
        return all.error == 0 || (all.nan && std::isnan(all.value.real)) ? 0 : unbounded;
    if (!isFloat(m_dtype) || m_reducer == Reducer::Max || m_reducer == Reducer::Min)
        return all.error;
    const double parts = m_reducer == Reducer::Sum ? m_parts : 1;
    if (all.error == 0 && all.broken == 0 && all.magnitude < exactIntegers(m_dtype) / parts)
        return 0;
    if (m_sharp && !std::isfinite(all.value.real))
        return all.error == 0 && (m_ends || !all.given) ? 0 : unbounded;
    const double rounding =
        gamma(static_cast<double>(terms) + 1, roundingUnit(m_dtype)) * all.magnitude;
    if (m_reducer == Reducer::Sum)
        return all.error + rounding;
    return all.error == 0 ? rounding : all.magnitude - std::fabs(all.value.real) + rounding;
}

std::int64_t BoundedFold::combined(std::int64_t a, std::int64_t b) const {
    std::int64_t out = 0;
    switch (m_reducer) {
    case Reducer::Sum:
        static_cast<void>(__builtin_add_overflow(a, b, &out));
        return m_wraps ? wrapTo(m_dtype, out) : out;
    case Reducer::Prod:
        static_cast<void>(__builtin_mul_overflow(a, b, &out));
        return m_wraps ? wrapTo(m_dtype, out) : out;
    case Reducer::Max:
        return applyIntegers(ExprOp::Max, m_dtype, a, b);
    case Reducer::Min:
        return applyIntegers(ExprOp::Min, m_dtype, a, b);
    case Reducer::None:
        break;
    }
    return b;
}

bool BoundedFold::overflows(std::int64_t a, std::int64_t b) const {
    std::int64_t out = 0;
    return (m_reducer == Reducer::Sum && __builtin_add_overflow(a, b, &out)) ||
           (m_reducer == Reducer::Prod && __builtin_mul_overflow(a, b, &out));
}

} // namespace fw
