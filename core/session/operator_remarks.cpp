#include "session/operator_remarks.h"

#include "ir/tensor_text.h"
#include "onnx/schema/standard_operators.h"
#include "tensor/calls_trial.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

bool isAboutTheSame(const OnnxBinding& a, const OnnxBinding& b) {
    return a.domain == b.domain && a.type == b.type && a.since <= b.until && b.since <= a.until;
}

// Whether another clause of a book reads such nodes otherwise, for another value of the attribute.
bool isOneOfSeveral(const OnnxReading& reading, const std::string& attribute,
                    const OperatorSet& operators) {
    const OnnxBinding& clause = reading.binding;
    const std::vector<OnnxReading>& all = operators.onnxReadings();
    return std::any_of(all.begin(), all.end(), [&](const OnnxReading& other) {
        const auto said = other.binding.fixed.find(attribute);
        const bool isOther = other.op != reading.op || !clause.attributes.empty() ||
                             !other.binding.attributes.empty();
        return other.source == OperatorSource::Book && isOther &&
               isAboutTheSame(other.binding, clause) && said != other.binding.fixed.end() &&
               !(said->second == clause.fixed.at(attribute));
    });
}

} // namespace

void remarkOnOperator(const OpTree& op, const OperatorSet& operators, const std::string& file,
                      snapshot::CheckItem& row) {
    if (op.standsForCalls()) {
        CallTrials trials = tryCallsOf(op, operators, file);
        row.trials = trials.fitting;
        if (trials.wrong)
            row.diagnostics.push_back(std::move(*trials.wrong));
    }
    for (const OnnxReading& reading : operators.onnxReadings()) {
        const OnnxBinding& clause = reading.binding;
        if (reading.op != op.name || reading.source != OperatorSource::Book ||
            operators.onnxReading(clause.domain, clause.type, clause.since) != &reading)
            continue;
        for (const auto& [attribute, value] : clause.fixed)
            if (isOneOfSeveral(reading, attribute, operators) &&
                !(clause.domain.empty() && needsAttribute(clause.type, clause.since, attribute))) {
                Diag note = makeWarning(
                    DiagCode::TextName,
                    fmt::format(
                        "{}: a node {} without '{}' is read by this clause, as if it said {}",
                        op.name, clause.type, attribute, attrText(value)),
                    clause.where, "of clauses with other values the last one is its default");
                note.severity = Severity::Note;
                row.diagnostics.push_back(std::move(note));
            }
    }
}

} // namespace fw
