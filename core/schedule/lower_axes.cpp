#include "schedule/lower_axes.h"

namespace fw {

namespace {

bool divides(const Expr& extent, std::int64_t factor) {
    return simplify(modExpr(extent, Expr(factor))).isInt(0);
}

bool hasDivision(const Expr& e) {
    bool out = false;
    visitExpr(e, [&](const Expr& part) {
        out = out || part.op() == ExprOp::FloorDiv || part.op() == ExprOp::Mod;
    });
    return out;
}

} // namespace

std::optional<SymbolicLinear> symbolicLinear(const Expr& e, Symbol var) {
    SymbolicLinear out;
    const Affine sum = toAffine(e);
    Affine rest;
    rest.constant = sum.constant;
    for (const auto& [atom, coefficient] : sum.terms) {
        if (!usesVar(atom, var)) {
            rest.terms.emplace_back(atom, coefficient);
            continue;
        }
        // A product with the variable as exactly one of its factors.
        Expr others(coefficient);
        int found = 0;
        const std::function<bool(const Expr&)> take = [&](const Expr& part) {
            if (part.op() == ExprOp::Mul)
                return take(part.arg(0)) && take(part.arg(1));
            if (part.isVar() && part->symbol == var)
                return ++found == 1;
            if (usesVar(part, var))
                return false;
            others = others * part;
            return true;
        };
        if (!take(atom) || found != 1)
            return std::nullopt;
        out.coefficient = out.coefficient + others;
    }
    out.rest = fromAffine(rest);
    return out;
}

std::map<Symbol, Expr> NestAxes::extents(const PeelState& peel) const {
    std::map<Symbol, Expr> out = m_base;
    for (auto& [axis, extent] : out)
        if (const auto fixed = peel.extents.find(axis); fixed != peel.extents.end())
            extent = fixed->second;
    const auto set = [&](Symbol axis, const Expr& extent) {
        const auto fixed = peel.extents.find(axis);
        out[axis] = fixed == peel.extents.end() ? extent : fixed->second;
    };
    for (const AxisStep& step : m_steps) {
        if (step.isFuse) {
            set(step.outer, simplify(out.at(step.first) * out.at(step.second)));
            continue;
        }
        const Expr extent = out.at(step.first), factor(step.factor);
        set(step.outer, simplify(step.tail == Tail::Guard ? ceilDivExpr(extent, factor)
                                                          : floorDivExpr(extent, factor)));
        set(step.inner, factor);
    }
    return out;
}

std::set<Symbol> NestAxes::sources(std::set<Symbol> loops) const {
    for (auto step = m_steps.rbegin(); step != m_steps.rend(); ++step)
        if (loops.contains(step->outer) || (!step->isFuse && loops.contains(step->inner))) {
            loops.insert(step->first);
            if (step->isFuse)
                loops.insert(step->second);
        }
    return loops;
}

Expr NestAxes::through(Expr e, const PeelState& peel, const Ranges& ranges,
                       const std::set<Symbol>* split) const {
    std::optional<std::map<Symbol, Expr>> sizes;
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        const AxisStep& step = m_steps[i];
        if (split != nullptr && !split->contains(step.first))
            continue;
        if (!step.isFuse) {
            if (!usesVar(e, step.first))
                continue;
            const auto known = peel.values.find(i);
            e = substitute(e, {{step.first, known != peel.values.end()
                                                ? known->second
                                                : varExpr(step.outer) * Expr(step.factor) +
                                                      varExpr(step.inner)}});
            // Tiles may reach beyond an inner loop; what they compute there is never stored, so
            // that its indices are those of the loop matters to nobody.
            if (known == peel.values.end() && hasDivision(e) &&
                divides(extents(peel).at(step.first), step.factor)) {
                Ranges inside;
                inside.push(step.inner, Expr(0), Expr(step.factor - 1));
                e = simplify(e, inside);
            }
            continue;
        }
        if (!usesVar(e, step.first) && !usesVar(e, step.second))
            continue;
        if (!sizes)
            sizes = extents(peel);
        const Expr fused = varExpr(step.outer), fast = sizes->at(step.second);
        const auto slow = symbolicLinear(e, step.first), quick = symbolicLinear(e, step.second);
        if (slow && quick && proveEqual(slow->coefficient, quick->coefficient * fast)) {
            e = substitute(e, {{step.first, Expr(0)}, {step.second, fused}});
            continue;
        }
        e = substitute(
            e, {{step.first, floorDivExpr(fused, fast)}, {step.second, modExpr(fused, fast)}});
    }
    return simplify(e, ranges);
}

Expr NestAxes::tailGuard(std::size_t split, const PeelState& peel, const Ranges& ranges) const {
    const AxisStep& step = m_steps[split];
    if (step.isFuse)
        return boolExpr(true);
    if (const auto known = peel.guards.find(split); known != peel.guards.end())
        return through(known->second, peel, ranges);
    if (step.tail == Tail::Peel)
        return boolExpr(true);
    const Expr extent = extents(peel).at(step.first);
    if (divides(extent, step.factor))
        return boolExpr(true);
    return through(ltExpr(varExpr(step.outer) * Expr(step.factor) + varExpr(step.inner), extent),
                   peel, ranges);
}

std::map<Symbol, std::set<Symbol>> NestAxes::origins() const {
    std::map<Symbol, std::set<Symbol>> out;
    for (const auto& [axis, extent] : m_base)
        out[axis] = {axis};
    for (const AxisStep& step : m_steps) {
        out[step.outer] = out[step.first];
        if (step.isFuse)
            out[step.outer].insert(out[step.second].begin(), out[step.second].end());
        else
            out[step.inner] = out[step.first];
    }
    return out;
}

std::optional<std::size_t> NestAxes::peeledSplit(Symbol outer, const PeelState& peel) const {
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        const AxisStep& step = m_steps[i];
        if (!step.isFuse && step.outer == outer && step.tail == Tail::Peel &&
            !peel.values.contains(i) && !divides(extents(peel).at(step.first), step.factor))
            return i;
    }
    return std::nullopt;
}

} // namespace fw
