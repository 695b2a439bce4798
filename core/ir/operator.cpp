#include "ir/operator.h"

#include "ir/remembered.h"

namespace fw {

std::optional<Diag> Operator::refusal(const OpCall& call) const {
    Result<OpInst> computation = instantiate(call);
    return computation ? std::nullopt : std::optional(computation.takeDiag());
}

Status OperatorSet::add(std::shared_ptr<const Operator> op) {
    if (!op || op->name().empty())
        return makeDiag(DiagCode::TextName, "an operator needs a name");
    const std::string name = op->name();
    if (!m_operators.insert_or_assign(name, remembering(std::move(op))).second)
        m_replaced.insert(name);
    return {};
}

const Operator* OperatorSet::find(std::string_view name) const {
    const auto found = m_operators.find(name);
    return found == m_operators.end() ? nullptr : found->second.get();
}

std::vector<const Operator*> OperatorSet::all() const {
    std::vector<const Operator*> out;
    for (const auto& [name, op] : m_operators)
        out.push_back(op.get());
    return out;
}

} // namespace fw
