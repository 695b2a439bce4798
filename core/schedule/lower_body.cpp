#include "schedule/lower_body.h"

#include "schedule/inlining.h"

#include "loop/passes.h"
#include "schedule/apply.h"

namespace fw {

namespace {

// Takes off `e` everything that makes it `nothing` under a condition.
Expr strip(const Expr& e, const Expr& nothing, Exprs& conditions,
           const std::function<Shape(Symbol)>& shapeOf) {
    if (e.op() == ExprOp::Pad && e.arg(0).op() == ExprOp::Load && e.arg(1) == nothing) {
        for (Expr& part : conjuncts(insideShape(e.arg(0).args(), shapeOf(e.arg(0)->symbol))))
            if (!part.isInt(1))
                conditions.push_back(std::move(part));
        return e.arg(0);
    }
    // A float is 0 or infinite in any type.
    if (e.op() == ExprOp::Cast && nothing.op() == ExprOp::Float && isFloat(e.arg(0).dtype()))
        return castExpr(
            strip(e.arg(0), floatExpr(nothing->real, e.arg(0).dtype()), conditions, shapeOf),
            e.dtype());
    if (e.op() == ExprOp::Select && e.arg(2) == nothing && !hasLoad(e.arg(0))) {
        for (Expr& part : conjuncts(e.arg(0)))
            conditions.push_back(std::move(part));
        return strip(e.arg(1), nothing, conditions, shapeOf);
    }
    return e;
}

Expr stripProduct(const Expr& e, const Expr& zero, Exprs& conditions,
                  const std::function<Shape(Symbol)>& shapeOf) {
    if (e.op() == ExprOp::Mul)
        return stripProduct(e.arg(0), zero, conditions, shapeOf) *
               stripProduct(e.arg(1), zero, conditions, shapeOf);
    const Expr out = strip(e, zero, conditions, shapeOf);
    return out.op() == ExprOp::Mul && !(out == e) ? stripProduct(out, zero, conditions, shapeOf)
                                                  : out;
}

} // namespace

GuardedBody guardedBody(const Expr& body, Reducer reducer,
                        const std::function<Shape(Symbol)>& shapeOf) {
    GuardedBody out;
    const Expr nothing = reducerIdentity(reducer, body.dtype());
    out.body = reducer == Reducer::Sum ? stripProduct(body, nothing, out.conditions, shapeOf)
                                       : strip(body, nothing, out.conditions, shapeOf);
    return out;
}

std::optional<std::map<Symbol, Symbol>> followedAxes(const Stage& map, const Stage& sum) {
    if (!map.isMap() || sum.isMap() || map.space.size() != sum.space.size())
        return std::nullopt;
    std::optional<std::map<Symbol, Symbol>> out;
    bool fits = true;
    const auto read = [&](const Expr& load) {
        std::map<Symbol, Symbol> axes;
        for (std::size_t d = 0; d < sum.space.size(); ++d)
            for (const Axis& axis : map.space)
                if (load.arg(d) == varExpr(axis.var) && axis.extent == sum.space[d].extent)
                    axes.emplace(axis.var, sum.space[d].var);
        fits = fits && axes.size() == map.space.size() && (!out || *out == axes);
        out = std::move(axes);
    };
    visitExpr(map.body, [&](const Expr& part) {
        if (part.op() == ExprOp::Pad && part.arg(0).op() == ExprOp::Load &&
            part.arg(0)->symbol == sum.out)
            fits = false;
        else if (part.op() == ExprOp::Load && part->symbol == sum.out)
            read(part);
    });
    return fits ? out : std::nullopt;
}

bool storesPlainly(const Stage& s) {
    for (std::size_t d = 0; d < s.store.size(); ++d)
        if (d >= s.space.size() || !(s.store[d] == varExpr(s.space[d].var)))
            return false;
    return true;
}

} // namespace fw
