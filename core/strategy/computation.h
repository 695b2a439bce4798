// An own computation of an operator, `compute OP(...)` of an entry: a call of other operators over
// the operands of the call, with attributes that conditions can compute. An attribute that is not
// written is that of the operator with the same name and type, if it has one.
#pragma once

#include "strategy/call_scope.h"

namespace fw {

struct ComputedEntry {
    const EntryTree* entry = nullptr; // with `compute`
    const ImplementationsTree* block = nullptr;
};

// What is wrong with it as it is written: names, operators, operands, attributes; a computation
// that calls its own operator.
Diags checkComputation(const ComputedEntry& computed, const OperatorSet& operators,
                       const std::string& file);

// The computation of a call as a graph: an input for every operand that is there, in order.
Result<GraphPtr> computationGraph(const ComputedEntry& computed, const Workload& call);
// The same as one list of stages.
Result<OpInst> computationOf(const ComputedEntry& computed, const Workload& call);

// Whether it gives what the operator gives, on small random calls inside the guard: results in
// double, apart by no more than both may err in the element types (tensor/bounded.h). nullopt if it
// does, of NaN, infinities and large numbers, too (special_values.h); the diag (OutputsDiffer, or
// RuleIllegal if no call was found) holds the smallest call that shows it. Its loops are run on
// some of the calls, too (loop_trial.h: LoopInvalid). The same for the same text. `agreed` is on
// how many calls they did.
std::optional<Diag> disagreement(const ComputedEntry& computed,
                                 std::shared_ptr<const OperatorSet> operators,
                                 const std::string& file, int* agreed = nullptr);

// Our code for it. `inner`: the implementations that are asked for it, in order.
// `owner` keeps what `computed` points at: plans outlive the books that they were made with.
ImplementationPtr computedBy(ComputedEntry computed, std::shared_ptr<const void> owner,
                             std::string identity, std::vector<ImplementationPtr> inner);

} // namespace fw
