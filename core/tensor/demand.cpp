#include "tensor/demand.h"

#include "condition/condition.h"

namespace fw {

Status demand(std::vector<Assumption>& assumptions, const Expr& condition, std::string sentence) {
    const std::optional<bool> holds = decideDims(condition);
    if (holds && !*holds)
        return makeDiag(DiagCode::ShapeMismatch, std::move(sentence));
    if (!holds)
        assumptions.push_back({condition, std::move(sentence)});
    return {};
}

} // namespace fw
