#include "tensor/demand.h"

#include "expr/simplify.h"

namespace fw {

std::optional<bool> decideDims(const Expr& condition) {
    Ranges ranges;
    for (const Symbol dim : freeVars(condition))
        ranges.assume(leExpr(Expr(0), varExpr(dim)));
    return decide(condition, ranges);
}

Status demand(std::vector<Assumption>& assumptions, const Expr& condition, std::string sentence) {
    const std::optional<bool> holds = decideDims(condition);
    if (holds && !*holds)
        return makeDiag(DiagCode::ShapeMismatch, std::move(sentence));
    if (!holds)
        assumptions.push_back({condition, std::move(sentence)});
    return {};
}

} // namespace fw
