#include "expr/expr.h"

#include <bit>
#include <optional>
#include <tuple>

namespace fw {

Expr::Expr() : Expr(std::int64_t(0)) {}
Expr::Expr(std::int64_t value) : Expr(intExpr(value)) {}

ExprOp Expr::op() const {
    return m_node->op;
}

DType Expr::dtype() const {
    return m_node->dtype;
}

const Exprs& Expr::args() const {
    return m_node->args;
}

const Expr& Expr::arg(std::size_t i) const {
    return m_node->args[i];
}

std::uint64_t Expr::hash() const {
    return m_node->hash;
}

namespace {

constexpr std::uint32_t shortParts = 48; // are written out and walked as trees

bool alike(const ExprNode& a, const ExprNode& b) {
    return a.hash == b.hash && a.op == b.op && a.dtype == b.dtype && a.fn == b.fn &&
           a.symbol == b.symbol && a.integer == b.integer &&
           std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real) &&
           a.args.size() == b.args.size();
}

// Parts that both share as often as their trees have them are compared once.
class Equality {
public:
    bool equal(const Expr& a, const Expr& b) {
        if (a.sameNode(b))
            return true;
        if (!alike(a.node(), b.node()))
            return false;
        const bool known = a->parts > shortParts;
        if (known && !m_met.insert({&a.node(), &b.node()}).second)
            return true; // or the comparison is over
        for (std::size_t i = 0; i < a.args().size(); ++i)
            if (!equal(a.arg(i), b.arg(i)))
                return false;
        return true;
    }

private:
    std::set<std::pair<const ExprNode*, const ExprNode*>> m_met;
};

std::strong_ordering ordered(const Expr& a, const Expr& b) {
    if (a == b)
        return std::strong_ordering::equal;
    const auto key = [](const Expr& e) {
        return std::tuple(e->parts, e.op(), e.dtype(), e->fn, e->symbol, e->integer,
                          std::bit_cast<std::uint64_t>(e->real), e.args().size());
    };
    if (const auto own = key(a) <=> key(b); own != 0)
        return own;
    for (std::size_t i = 0; i < a.args().size(); ++i)
        if (const auto part = ordered(a.arg(i), b.arg(i)); part != 0)
            return part;
    return std::strong_ordering::equal;
}

} // namespace

bool Expr::operator==(const Expr& other) const {
    return Equality().equal(*this, other);
}

bool Expr::before(const Expr& other) const {
    if (isVar() && other.isVar())
        return m_node->symbol < other.m_node->symbol;
    if (m_node->parts <= shortParts && other.m_node->parts <= shortParts)
        return text() < other.text();
    return ordered(*this, other) < 0;
}

bool Expr::isInt() const {
    return m_node->op == ExprOp::Int;
}

bool Expr::isInt(std::int64_t value) const {
    return isInt() && m_node->integer == value;
}

std::optional<std::int64_t> Expr::asInt() const {
    if (isInt())
        return m_node->integer;
    return std::nullopt;
}

bool Expr::isVar() const {
    return m_node->op == ExprOp::Var;
}

bool Expr::isConstant() const {
    return m_node->op == ExprOp::Int || m_node->op == ExprOp::Float;
}

} // namespace fw
