#include "ir/operator.h"

namespace fw {

Status OperatorSet::add(std::shared_ptr<const Operator> op) {
    if (!op || op->name().empty())
        return makeDiag(DiagCode::TextName, "an operator needs a name");
    m_operators.insert_or_assign(op->name(), std::move(op));
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
