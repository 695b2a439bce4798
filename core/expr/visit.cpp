// Walks over expressions, whose parts others may share.
#include "expr/expr.h"

#include <unordered_map>
#include <unordered_set>

namespace fw {

Expr withArgs(const Expr& e, Exprs args) {
    const ExprNode& node = e.node();
    switch (node.op) {
    case ExprOp::Int:
    case ExprOp::Float:
    case ExprOp::Var:
        return e;
    case ExprOp::Add:
        return args[0] + args[1];
    case ExprOp::Sub:
        return args[0] - args[1];
    case ExprOp::Mul:
        return args[0] * args[1];
    case ExprOp::Div:
        return divExpr(args[0], args[1]);
    case ExprOp::FloorDiv:
        return floorDivExpr(args[0], args[1]);
    case ExprOp::Mod:
        return modExpr(args[0], args[1]);
    case ExprOp::Min:
        return minExpr(args[0], args[1]);
    case ExprOp::Max:
        return maxExpr(args[0], args[1]);
    case ExprOp::Neg:
        return -args[0];
    case ExprOp::Fma:
        return fmaExpr(args[0], args[1], args[2]);
    case ExprOp::Eq:
        return eqExpr(args[0], args[1]);
    case ExprOp::Ne:
        return neExpr(args[0], args[1]);
    case ExprOp::Lt:
        return ltExpr(args[0], args[1]);
    case ExprOp::Le:
        return leExpr(args[0], args[1]);
    case ExprOp::And:
        return andExpr(args[0], args[1]);
    case ExprOp::Or:
        return orExpr(args[0], args[1]);
    case ExprOp::Not:
        return notExpr(args[0]);
    case ExprOp::Select:
        return selectExpr(args[0], args[1], args[2]);
    case ExprOp::Cast:
        return castExpr(args[0], node.dtype);
    case ExprOp::Load:
        return loadExpr(node.symbol, std::move(args), node.dtype);
    case ExprOp::Pad:
        // A load that was rewritten to something else has been proved in range.
        return args[0].op() == ExprOp::Load ? padExpr(args[0], args[1]) : args[0];
    case ExprOp::Call:
        return callExpr(node.fn, std::move(args));
    case ExprOp::BitCast:
        return bitCastExpr(args[0], node.dtype);
    }
    return e;
}

namespace {

// Which parts were met: indices that nest share parts, as often as a tree would double with every
// level.
class Met {
public:
    bool first(const Expr& e) { return !shared(e) || m_met.insert(&e.node()).second; }
    static bool shared(const Expr& e) { return !e.args().empty() && e.uses() > 1; }

private:
    std::unordered_set<const ExprNode*> m_met;
};

using Mapped = std::unordered_map<const ExprNode*, Expr>;

Expr mapped(const Expr& e, const std::function<Expr(const Expr&)>& change, Mapped& known) {
    if (e.args().empty())
        return change(e);
    const bool shared = Met::shared(e);
    if (shared)
        if (const auto found = known.find(&e.node()); found != known.end())
            return found->second;
    Exprs args;
    args.reserve(e.args().size());
    bool same = true;
    for (const Expr& arg : e.args()) {
        args.push_back(mapped(arg, change, known));
        same = same && args.back().sameNode(arg);
    }
    Expr out = change(same ? e : withArgs(e, std::move(args)));
    if (shared)
        known.emplace(&e.node(), out);
    return out;
}

void visited(const Expr& e, const std::function<void(const Expr&)>& visit, Met& met) {
    if (!met.first(e))
        return;
    visit(e);
    for (const Expr& arg : e.args())
        visited(arg, visit, met);
}

template <class Is>
bool anyPart(const Expr& e, const Is& is, Met& met) {
    if (is(e))
        return true;
    if (!met.first(e))
        return false;
    for (const Expr& arg : e.args())
        if (anyPart(arg, is, met))
            return true;
    return false;
}

double summed(const Expr& e, const std::function<double(const Expr&)>& weight,
              std::unordered_map<const ExprNode*, double>& known) {
    const bool shared = Met::shared(e);
    if (shared)
        if (const auto found = known.find(&e.node()); found != known.end())
            return found->second;
    double out = weight(e);
    for (const Expr& arg : e.args())
        out += summed(arg, weight, known);
    if (shared)
        known.emplace(&e.node(), out);
    return out;
}

} // namespace

Expr mapExpr(const Expr& e, const std::function<Expr(const Expr&)>& change) {
    Mapped known;
    return mapped(e, change, known);
}

void visitExpr(const Expr& e, const std::function<void(const Expr&)>& visit) {
    Met met;
    visited(e, visit, met);
}

double sumOfParts(const Expr& e, const std::function<double(const Expr&)>& weight) {
    std::unordered_map<const ExprNode*, double> known;
    return summed(e, weight, known);
}

Expr substitute(const Expr& e, const Substitution& map) {
    if (map.empty())
        return e;
    return mapExpr(e, [&](const Expr& part) {
        if (!part.isVar())
            return part;
        const auto found = map.find(part->symbol);
        return found == map.end() ? part : found->second;
    });
}

std::set<Symbol> freeVars(const Expr& e) {
    std::set<Symbol> vars;
    visitExpr(e, [&](const Expr& part) {
        if (part.isVar())
            vars.insert(part->symbol);
    });
    return vars;
}

bool usesVar(const Expr& e, Symbol var) {
    Met met;
    return anyPart(
        e, [&](const Expr& part) { return part.isVar() && part->symbol == var; }, met);
}

bool hasLoad(const Expr& e) {
    Met met;
    return anyPart(
        e, [](const Expr& part) { return part.op() == ExprOp::Load; }, met);
}

} // namespace fw
