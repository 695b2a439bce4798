// The loops of what a book declares, made for small calls and run once by the interpreter that
// checks every access: as the templates make them, and as a schedule of the book does. With
// dimensions as numbers and free, with images row by row and channels last.
#pragma once

#include "strategy/lowering.h"
#include "syntax/op.h"

#include <optional>

namespace fw {

struct LoopTrial {
    int nests = 0;             // that were run
    std::optional<Diag> wrong; // LoopInvalid: the access, for which call, by what
};

struct LoopTrialLimits {
    int calls = 16;                    // that fit
    std::uint64_t steps = 150'000;     // loads, stores and iterations in all
    std::uint64_t stepsOfOne = 15'000; // of one nest; a longer one is left where it is
    std::vector<DType> types = {DType::F32, DType::I64}; // of operands whose type is open
};

// An operator, by every template that takes its calls. `operators` knows it by its name.
LoopTrial tryLoopsOf(const OpTree& op, const std::string& file,
                     const std::shared_ptr<const OperatorSet>& operators,
                     const LoopTrialLimits& limits = {});
// The same of one that is declared elsewhere; nothing is tried if it is native.
LoopTrial tryLoopsOf(const Operator& op, const std::shared_ptr<const OperatorSet>& operators,
                     const LoopTrialLimits& limits = {});
// What a schedule is for: an operator, or a kind of them.
struct LoopSubject {
    SubjectKind kind = SubjectKind::Operator;
    std::string name;
};

// A schedule on calls of these: where a step of it is to blame, `wrong` has its line and column.
LoopTrial tryLoopsOf(const WrittenSchedule& schedule, const std::vector<LoopSubject>& subjects,
                     const std::shared_ptr<const OperatorSet>& operators,
                     const LoopTrialLimits& limits = {});
// One call, by every template; `computation` in place of the operator's own, if there is one. All
// dimensions are numbers.
LoopTrial tryLoopsOf(const Graph& graph, const Node& node,
                     const std::function<Result<OpInst>()>& computation, std::uint64_t mostSteps);

// The same of a call of an operator; nothing is tried if it does not fit.
LoopTrial tryLoopsOf(const OpCall& call, const std::string& op,
                     const std::shared_ptr<const OperatorSet>& operators, std::uint64_t mostSteps);

} // namespace fw
