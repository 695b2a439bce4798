#include "condition/exclusion.h"

#include "expr/evaluate.h"
#include "expr/simplify.h"
#include "ir/bound_dims.h"

#include <algorithm>
#include <map>
#include <optional>

namespace fw {

namespace {

constexpr std::size_t mostAlternatives = 64;
constexpr std::size_t mostKnown = 32; // conditions, of those that speak of the same dimensions

using Parts = Exprs; // joined by and

// As alternatives of comparisons; nullopt: there are too many.
using Alternatives = std::optional<std::vector<Parts>>;

Alternatives eitherOf(const Alternatives& a, const Alternatives& b) {
    if (!a || !b || a->size() + b->size() > mostAlternatives)
        return std::nullopt;
    Alternatives out = a;
    out->insert(out->end(), b->begin(), b->end());
    return out;
}

Alternatives bothOf(const Alternatives& a, const Alternatives& b) {
    if (!a || !b || a->size() * b->size() > mostAlternatives)
        return std::nullopt;
    std::vector<Parts> out;
    for (const Parts& first : *a)
        for (const Parts& second : *b) {
            Parts& all = out.emplace_back(first);
            all.insert(all.end(), second.begin(), second.end());
        }
    return out;
}

// The ways in which a condition is true, or false.
class Ways : public Evaluate<Ways, Alternatives> {
public:
    explicit Ways(bool wanted) : m_wanted(wanted) {}

    Alternatives opposite(const Expr& e) { return Ways(!m_wanted).of(e.arg(0)); }
    Alternatives both(const Expr& e) { return joined(e, m_wanted); }
    Alternatives either(const Expr& e) { return joined(e, !m_wanted); }
    Alternatives lt(const Expr& e) { return one(m_wanted ? e : leExpr(e.arg(1), e.arg(0))); }
    Alternatives le(const Expr& e) { return one(m_wanted ? e : ltExpr(e.arg(1), e.arg(0))); }
    Alternatives eq(const Expr& e) { return equal(e, m_wanted); }
    Alternatives ne(const Expr& e) { return equal(e, !m_wanted); }
    Alternatives other(ExprOp, const Expr& e) { return one(m_wanted ? e : notExpr(e)); }

private:
    static Alternatives one(const Expr& e) { return std::vector<Parts>{{e}}; }
    static Alternatives equal(const Expr& e, bool wanted) {
        const Expr &a = e.arg(0), &b = e.arg(1);
        return wanted ? one(eqExpr(a, b)) : std::vector<Parts>{{ltExpr(a, b)}, {ltExpr(b, a)}};
    }
    Alternatives joined(const Expr& e, bool all) {
        const Alternatives a = of(e.arg(0)), b = of(e.arg(1));
        return all ? bothOf(a, b) : eitherOf(a, b);
    }

    bool m_wanted;
};

Alternatives alternativesOf(const Expr& e, bool wanted) {
    return Ways(wanted).of(e);
}

struct Extents {
    std::int64_t min = 0;
    std::int64_t max = largestBoundDim;
};

// What comparisons of a dimension with a number leave of its sizes.
void narrow(const Expr& part, std::map<Symbol, Extents>& sizes) {
    if (part.op() != ExprOp::Lt && part.op() != ExprOp::Le && part.op() != ExprOp::Eq)
        return;
    const Expr &a = part.arg(0), &b = part.arg(1);
    const std::int64_t open = part.op() == ExprOp::Lt ? 1 : 0;
    const auto atMost = [&](const Expr& dim, const Expr& number, std::int64_t less) {
        if (const auto value = number.asInt(); value && dim.isVar())
            sizes[dim->symbol].max =
                std::min(sizes[dim->symbol].max, std::min(*value, largestBoundDim + 1) - less);
    };
    const auto atLeast = [&](const Expr& dim, const Expr& number, std::int64_t more) {
        if (const auto value = number.asInt(); value && dim.isVar())
            sizes[dim->symbol].min =
                std::max(sizes[dim->symbol].min, std::max(*value, std::int64_t(-1)) + more);
    };
    atMost(a, b, open);
    atLeast(b, a, open);
    if (part.op() == ExprOp::Eq) {
        atLeast(a, b, 0);
        atMost(b, a, 0);
    }
}

// A dimension that equals something stands for it in all other parts.
Parts withoutEqual(Parts parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].op() != ExprOp::Eq)
            continue;
        for (const int side : {0, 1}) {
            const Expr dim = parts[i].arg(side), other = parts[i].arg(1 - side);
            if (!dim.isVar() || other.isInt() || freeVars(other).contains(dim->symbol))
                continue;
            for (std::size_t k = 0; k < parts.size(); ++k)
                if (k != i)
                    parts[k] = substitute(parts[k], {{dim->symbol, other}});
            break;
        }
    }
    return parts;
}

bool contradict(const Parts& given) {
    const Parts parts = withoutEqual(given);
    std::map<Symbol, Extents> sizes;
    for (const Expr& part : parts) {
        for (const Symbol dim : freeVars(part))
            sizes.try_emplace(dim);
        narrow(part, sizes);
    }
    Ranges ranges;
    for (const auto& [dim, extents] : sizes) {
        if (extents.min > extents.max)
            return true;
        ranges.push(dim, Expr(extents.min), Expr(extents.max));
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Ranges others = ranges;
        for (std::size_t k = 0; k < parts.size(); ++k)
            if (k != i)
                others.assume(parts[k]);
        if (decide(simplify(parts[i], ranges), others) == std::optional(false))
            return true;
    }
    return false;
}

} // namespace

bool holdsNowhere(const Expr& condition, const Exprs& known) {
    Alternatives all = alternativesOf(condition, true);
    for (const Expr& one : known)
        if (Alternatives with = bothOf(all, alternativesOf(one, true))) // else it is left out
            all = std::move(with);
    return all && std::all_of(all->begin(), all->end(), contradict);
}

Exprs relevantTo(const Expr& about, const Exprs& known) {
    std::set<Symbol> dims = freeVars(about);
    Exprs out;
    std::vector<bool> taken(known.size(), false);
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = 0; i < known.size() && out.size() < mostKnown; ++i) {
            const std::set<Symbol> own = freeVars(known[i]);
            if (taken[i] || std::none_of(own.begin(), own.end(),
                                         [&](Symbol dim) { return dims.contains(dim); }))
                continue;
            taken[i] = more = true;
            out.push_back(known[i]);
            dims.insert(own.begin(), own.end());
        }
    }
    return out;
}

} // namespace fw
