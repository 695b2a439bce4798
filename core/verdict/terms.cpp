#include "verdict/terms.h"

#include "expr/scalar.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace fw {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t hashOf(const Term& term) {
    std::uint64_t out = 0x9e3779b97f4a7c15u;
    const auto mix = [&](std::uint64_t value) {
        out = (out ^ value) * 0xff51afd7ed558ccdu ^ out >> 29;
    };
    mix(static_cast<std::uint64_t>(term.kind) << 24 | static_cast<std::uint64_t>(term.dtype) << 16 |
        static_cast<std::uint64_t>(term.op) << 8 | static_cast<std::uint64_t>(term.fn));
    mix(static_cast<std::uint64_t>(term.integer));
    mix(std::bit_cast<std::uint64_t>(term.real));
    for (const TermId arg : term.args)
        mix(static_cast<std::uint64_t>(arg) + 1);
    return static_cast<std::size_t>(out ^ out >> 32);
}

Term made(Term::Kind kind, DType dtype, std::vector<TermId> args = {}) {
    Term out;
    out.kind = kind;
    out.dtype = dtype;
    out.args = std::move(args);
    return out;
}

} // namespace

bool keepsValues(DType from, DType to) {
    return from == to || (to == DType::F64 && isFloat(from)) ||
           (to == DType::F32 && (from == DType::F16 || from == DType::BF16));
}

TermId Terms::add(Term term) {
    if (2 * m_terms.size() >= m_slots.size())
        growSlots();
    const std::size_t hash = hashOf(term), mask = m_slots.size() - 1;
    std::size_t slot = hash & mask;
    for (; m_slots[slot] >= 0; slot = (slot + 1) & mask) {
        const auto known = static_cast<std::size_t>(m_slots[slot]);
        if (m_hashes[known] == hash && m_terms[known] == term)
            return m_slots[slot];
    }
    m_slots[slot] = static_cast<TermId>(m_terms.size());
    m_terms.push_back(std::move(term));
    m_hashes.push_back(hash);
    return m_slots[slot];
}

void Terms::growSlots() {
    constexpr std::size_t least = 256;
    m_slots.assign(std::max(least, 2 * m_slots.size()), -1);
    const std::size_t mask = m_slots.size() - 1;
    for (std::size_t i = 0; i < m_hashes.size(); ++i) {
        std::size_t slot = m_hashes[i] & mask;
        while (m_slots[slot] >= 0)
            slot = (slot + 1) & mask;
        m_slots[slot] = static_cast<TermId>(i);
    }
}

bool Terms::isNumber(TermId id, double value) const {
    const Term& term = (*this)[id];
    return (term.kind == Term::Kind::Integer && static_cast<double>(term.integer) == value) ||
           (term.kind == Term::Kind::Real && term.real == value);
}

TermId Terms::leaf(std::int64_t which, DType dtype) {
    Term out = made(Term::Kind::Leaf, dtype);
    out.integer = which;
    return add(std::move(out));
}

TermId Terms::integer(std::int64_t value, DType dtype) {
    Term out = made(Term::Kind::Integer, dtype);
    out.integer = wrapTo(dtype, value);
    return add(std::move(out));
}

TermId Terms::real(double value, DType dtype) {
    Term out = made(Term::Kind::Real, dtype);
    out.real = value == 0 ? 0 : dtype == DType::F32 ? static_cast<float>(value) : value;
    return add(std::move(out));
}

TermId Terms::negated(TermId id, DType dtype) {
    const Term& term = (*this)[id];
    if (term.kind == Term::Kind::Real)
        return real(-term.real, dtype);
    // Proofs are over all integers, where nothing wraps.
    if (term.kind == Term::Kind::Integer &&
        term.integer != std::numeric_limits<std::int64_t>::min())
        if (const std::int64_t value = -term.integer; wrapTo(dtype, value) == value)
            return integer(value, dtype);
    if (term.kind == Term::Kind::Apply && term.op == ExprOp::Neg)
        return term.args[0];
    Term out = made(Term::Kind::Apply, dtype, {id});
    out.op = ExprOp::Neg;
    return add(std::move(out));
}

// Neither order nor repetition matters, and the bound of a type bounds nothing.
TermId Terms::extreme(ExprOp op, DType dtype, const std::vector<TermId>& args) {
    const double neutral = op == ExprOp::Max ? -infinite : infinite;
    std::vector<TermId> all;
    for (const TermId arg : args) {
        const Term& term = (*this)[arg];
        if (term.kind == Term::Kind::Apply && term.op == op)
            all.insert(all.end(), term.args.begin(), term.args.end());
        else if (term.kind != Term::Kind::Real || term.real != neutral)
            all.push_back(arg);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.empty())
        return real(neutral, dtype);
    if (all.size() == 1)
        return all[0];
    Term out = made(Term::Kind::Apply, dtype, std::move(all));
    out.op = op;
    return add(std::move(out));
}

namespace {

// Of two numbers: what a comparison of them is.
std::optional<bool> compared(ExprOp op, const Term& a, const Term& b) {
    if (a.kind != Term::Kind::Real || b.kind != Term::Kind::Real)
        return std::nullopt;
    return op == ExprOp::Eq   ? a.real == b.real
           : op == ExprOp::Ne ? a.real != b.real
           : op == ExprOp::Lt ? a.real < b.real
                              : a.real <= b.real;
}

} // namespace

TermId Terms::apply(ExprOp op, DType dtype, std::vector<TermId> args) {
    switch (op) {
    case ExprOp::Neg:
        return negated(args[0], dtype);
    case ExprOp::Min:
    case ExprOp::Max:
        return extreme(op, dtype, args);
    case ExprOp::Sub:
        return apply(ExprOp::Add, dtype, {args[0], negated(args[1], dtype)});
    case ExprOp::Add:
        for (const std::size_t i : {0u, 1u})
            if (isNumber(args[i], 0))
                return args[1 - i];
        std::sort(args.begin(), args.end());
        break;
    case ExprOp::Mul:
        for (const std::size_t i : {0u, 1u})
            if (isNumber(args[i], 1))
                return args[1 - i];
        for (const std::size_t i : {0u, 1u})
            if (isNumber(args[i], -1))
                return negated(args[1 - i], dtype);
        std::sort(args.begin(), args.end());
        break;
    case ExprOp::Div:
        if (isNumber(args[1], 1))
            return args[0];
        break;
    case ExprOp::And:
    case ExprOp::Or: {
        const std::int64_t decides = op == ExprOp::Or ? 1 : 0; // else the other one does
        for (const std::size_t i : {0u, 1u})
            if (const Term& term = (*this)[args[i]]; term.kind == Term::Kind::Integer)
                return args[(term.integer != 0) == (decides != 0) ? i : 1 - i];
        std::sort(args.begin(), args.end());
        break;
    }
    case ExprOp::Eq:
    case ExprOp::Ne:
    case ExprOp::Lt:
    case ExprOp::Le:
        if (const auto known = compared(op, (*this)[args[0]], (*this)[args[1]]))
            return integer(*known ? 1 : 0, DType::Bool);
        if (op == ExprOp::Eq || op == ExprOp::Ne)
            std::sort(args.begin(), args.end());
        // Nothing is smaller than the least, or larger than the most.
        if (op == ExprOp::Lt && (isNumber(args[1], -infinite) || isNumber(args[0], infinite)))
            return integer(0, DType::Bool);
        break;
    case ExprOp::Select:
        if (args[1] == args[2])
            return args[1];
        if (const Term& condition = (*this)[args[0]]; condition.kind == Term::Kind::Integer)
            return args[condition.integer != 0 ? 1 : 2];
        break;
    case ExprOp::Cast:
        // What is widened keeps its value.
        if (const DType from = (*this)[args[0]].dtype;
            from == dtype || (isFloat(from) && isFloat(dtype) && keepsValues(from, dtype)))
            return args[0];
        break;
    default:
        break;
    }
    Term out = made(Term::Kind::Apply, dtype, std::move(args));
    out.op = op;
    return add(std::move(out));
}

TermId Terms::call(MathFn fn, DType dtype, std::vector<TermId> args) {
    Term out = made(Term::Kind::Call, dtype, std::move(args));
    out.fn = fn;
    return add(std::move(out));
}

TermId Terms::sum(DType dtype, std::vector<TermId> args) {
    std::erase_if(args, [&](TermId arg) { return isNumber(arg, 0); });
    if (args.empty())
        return isFloat(dtype) ? real(0, dtype) : integer(0, dtype);
    if (args.size() == 1)
        return args[0];
    std::sort(args.begin(), args.end());
    return add(made(Term::Kind::Sum, dtype, std::move(args)));
}

TermId Terms::product(DType dtype, std::vector<TermId> args) {
    std::erase_if(args, [&](TermId arg) { return isNumber(arg, 1); });
    if (args.empty())
        return isFloat(dtype) ? real(1, dtype) : integer(1, dtype);
    if (args.size() == 1)
        return args[0];
    std::sort(args.begin(), args.end());
    return add(made(Term::Kind::Product, dtype, std::move(args)));
}

} // namespace fw
