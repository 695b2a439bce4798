#include "ir/operator.h"

#include "ir/memoized_operator.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <tuple>

namespace fw {

std::string Arity::text() const {
    const bool open = most == std::numeric_limits<std::size_t>::max();
    if (open)
        return least == 0 ? "any number of operands" : fmt::format("{} operands or more", least);
    if (least != most)
        return fmt::format("{} to {} operands", least, most);
    return fmt::format("{} operand{}", most, most == 1 ? "" : "s");
}

std::optional<Diag> Operator::refusal(const OpCall& call) const {
    Result<OpInst> computation = instantiate(call);
    return computation ? std::nullopt : std::optional(computation.takeDiag());
}

Result<CallSequence> Operator::calls(const OpCall&) const {
    return makeDiag(DiagCode::UnknownOperator, name() + " stands for no calls of others");
}

namespace {

using ReadingKey = std::tuple<std::string_view, std::string_view, OperatorSource>;
ReadingKey keyOf(const OnnxReading& reading) {
    return {reading.binding.type, reading.binding.domain, reading.source};
}

} // namespace

Status OperatorSet::add(std::shared_ptr<const Operator> op, OperatorSource source) {
    if (!op || op->name().empty())
        return makeDiag(DiagCode::TextName, "an operator needs a name");
    const std::string name = op->name();
    const bool stands = op->standsForCalls();
    if ((stands ? m_operators : m_standing).contains(name))
        return makeDiag(DiagCode::TextName,
                        fmt::format("{}: one of both is computed, the other stands for calls of "
                                    "others",
                                    name),
                        {}, "give it another name");
    for (OnnxBinding& binding : op->onnx()) {
        OnnxReading reading{std::move(binding), name, source};
        const auto behind = std::upper_bound(m_readings.begin(), m_readings.end(), reading,
                                             [](const OnnxReading& one, const OnnxReading& other) {
                                                 return keyOf(one) < keyOf(other);
                                             });
        m_readings.insert(behind, std::move(reading));
    }
    if (stands) {
        m_standing.insert_or_assign(name, std::move(op));
        return {};
    }
    if (op->bindsDims())
        m_binding.insert(name);
    else
        m_binding.erase(name);
    if (!m_operators.insert_or_assign(name, remembering(std::move(op))).second)
        m_replaced.insert(name);
    return {};
}

const OnnxReading* OperatorSet::onnxReading(std::string_view domain, std::string_view type,
                                            std::int64_t opset,
                                            const std::map<std::string, AttrValue>& given) const {
    const auto all = onnxReadings(domain, type, opset, given);
    return all.empty() ? nullptr : all.front();
}

std::vector<const OnnxReading*>
OperatorSet::onnxReadings(std::string_view domain, std::string_view type, std::int64_t opset,
                          const std::map<std::string, AttrValue>& given) const {
    std::vector<const OnnxReading*> out;
    const OnnxReading* last = nullptr;
    const auto begin =
        std::lower_bound(m_readings.begin(), m_readings.end(), std::pair(type, domain),
                         [](const OnnxReading& one, const auto& wanted) {
                             return std::pair<std::string_view, std::string_view>(
                                        one.binding.type, one.binding.domain) < wanted;
                         });
    auto end = begin;
    while (end != m_readings.end() && end->binding.type == type && end->binding.domain == domain)
        ++end;
    for (auto reading = std::reverse_iterator(end); reading != std::reverse_iterator(begin);
         ++reading) {
        const OnnxBinding& binding = reading->binding;
        if (!binding.takes(opset))
            continue;
        if (binding.agreesWith(given))
            out.push_back(&*reading);
        else if (last == nullptr)
            last = &*reading;
    }
    if (out.empty() && last != nullptr)
        out.push_back(last);
    return out;
}

const Operator* OperatorSet::findReader(std::string_view name) const {
    const auto standing = m_standing.find(name);
    return standing == m_standing.end() ? find(name) : standing->second.get();
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
