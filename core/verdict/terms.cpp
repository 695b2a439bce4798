#include "verdict/terms.h"

#include "expr/evaluate.h"
#include "expr/scalar.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

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

namespace {

struct Parts {
    ExprOp op;
    DType dtype;
    std::vector<TermId> args;
};

} // namespace

// The one form of an operation on terms.
class Terms::Form : public Evaluate<Form, TermId, Parts&> {
public:
    explicit Form(Terms& terms) : m_terms(terms) {}

    TermId neg(Parts& at) { return negated(at.args[0], at.dtype); }
    TermId sub(Parts& at) {
        Parts sum{ExprOp::Add, at.dtype, {at.args[0], negated(at.args[1], at.dtype)}};
        return add(sum);
    }
    TermId add(Parts& at) {
        if (const auto neutral = placeOf(0, at))
            return at.args[1 - *neutral];
        return inOrder(at);
    }
    TermId mul(Parts& at) {
        if (const auto neutral = placeOf(1, at))
            return at.args[1 - *neutral];
        if (const auto opposite = placeOf(-1, at))
            return negated(at.args[1 - *opposite], at.dtype);
        return inOrder(at);
    }
    TermId div(Parts& at) { return m_terms.isNumber(at.args[1], 1) ? at.args[0] : kept(at); }
    TermId min(Parts& at) { return extreme(at, infinite); }
    TermId max(Parts& at) { return extreme(at, -infinite); }
    TermId both(Parts& at) { return logical(at, false); }
    TermId either(Parts& at) { return logical(at, true); }
    TermId eq(Parts& at) {
        return compared(at, true, [](double a, double b) { return a == b; });
    }
    TermId ne(Parts& at) {
        return compared(at, true, [](double a, double b) { return a != b; });
    }
    TermId lt(Parts& at) {
        // Nothing is smaller than the least, or larger than the most.
        if (m_terms.isNumber(at.args[1], -infinite) || m_terms.isNumber(at.args[0], infinite))
            return truth(false);
        return compared(at, false, [](double a, double b) { return a < b; });
    }
    TermId le(Parts& at) {
        return compared(at, false, [](double a, double b) { return a <= b; });
    }
    TermId select(Parts& at) {
        if (at.args[1] == at.args[2])
            return at.args[1];
        if (const Term& condition = m_terms[at.args[0]]; condition.kind == Term::Kind::Integer)
            return at.args[condition.integer != 0 ? 1 : 2];
        return kept(at);
    }
    TermId cast(Parts& at) { // what is widened keeps its value
        const DType from = m_terms[at.args[0]].dtype;
        const bool same =
            from == at.dtype || (isFloat(from) && isFloat(at.dtype) && keepsValues(from, at.dtype));
        return same ? at.args[0] : kept(at);
    }
    TermId other(ExprOp, Parts& at) { return kept(at); }

private:
    TermId truth(bool value) { return m_terms.integer(value ? 1 : 0, DType::Bool); }

    TermId kept(Parts& at) {
        Term out = made(Term::Kind::Apply, at.dtype, std::move(at.args));
        out.op = at.op;
        return m_terms.add(std::move(out));
    }

    TermId inOrder(Parts& at) {
        std::sort(at.args.begin(), at.args.end());
        return kept(at);
    }

    std::optional<std::size_t> placeOf(double number, const Parts& at) const {
        for (const std::size_t i : {0u, 1u})
            if (m_terms.isNumber(at.args[i], number))
                return i;
        return std::nullopt;
    }

    TermId negated(TermId id, DType dtype) {
        const Term& term = m_terms[id];
        if (term.kind == Term::Kind::Real)
            return m_terms.real(-term.real, dtype);
        // Proofs are over all integers, where nothing wraps.
        if (term.kind == Term::Kind::Integer &&
            term.integer != std::numeric_limits<std::int64_t>::min())
            if (const std::int64_t value = -term.integer; wrapTo(dtype, value) == value)
                return m_terms.integer(value, dtype);
        if (term.kind == Term::Kind::Apply && term.op == ExprOp::Neg)
            return term.args[0];
        Parts opposite{ExprOp::Neg, dtype, {id}};
        return kept(opposite);
    }

    // Neither order nor repetition matters, and the bound of a type bounds nothing.
    TermId extreme(Parts& at, double neutral) {
        std::vector<TermId> all;
        for (const TermId arg : at.args) {
            const Term& term = m_terms[arg];
            if (term.kind == Term::Kind::Apply && term.op == at.op)
                all.insert(all.end(), term.args.begin(), term.args.end());
            else if (term.kind != Term::Kind::Real || term.real != neutral)
                all.push_back(arg);
        }
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        if (all.empty())
            return m_terms.real(neutral, at.dtype);
        if (all.size() == 1)
            return all[0];
        at.args = std::move(all);
        return kept(at);
    }

    // A known operand decides, or the other one does.
    TermId logical(Parts& at, bool decides) {
        for (const std::size_t i : {0u, 1u})
            if (const Term& term = m_terms[at.args[i]]; term.kind == Term::Kind::Integer)
                return at.args[(term.integer != 0) == decides ? i : 1 - i];
        return inOrder(at);
    }

    template <class Holds>
    TermId compared(Parts& at, bool symmetric, const Holds& holds) {
        const Term &a = m_terms[at.args[0]], &b = m_terms[at.args[1]];
        if (a.kind == Term::Kind::Real && b.kind == Term::Kind::Real)
            return truth(holds(a.real, b.real));
        return symmetric ? inOrder(at) : kept(at);
    }

    Terms& m_terms;
};

TermId Terms::apply(ExprOp op, DType dtype, std::vector<TermId> args) {
    Parts at{op, dtype, std::move(args)};
    return Form(*this).of(op, at);
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
