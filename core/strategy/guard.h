// Guards: conditions over the call that an implementation is asked for, decided before anything
// runs.
//
// Names stand for dims of the signature, attributes, operands and what `let` names. A condition
// over free dimensions may be neither true nor false yet; it is then Unknown, never guessed.
#pragma once

#include "strategy/implementation.h"
#include "syntax/strategy.h"

#include <map>
#include <variant>

namespace fw {

enum class Truth : std::uint8_t { No, Yes, Unknown };

struct Verdicts { // of a guard
    Truth truth = Truth::Yes;
    std::string evidence; // "M > 16: M = 8"
};

struct Operand {
    TensorType type;
    bool constant = false;
};

// Dim, pack or list of integers, number, text or dtype name, operand.
using GuardValue = std::variant<Expr, Exprs, double, std::string, Operand>;

// What the target offers to a guard.
struct GuardTarget {
    std::vector<std::string> keys; // most specific first, "any" last
    std::vector<std::string> libraries;
};

// "x86-64-v3", "x86-64-v2", "x86-64", "cpu", "any", in front of them the name of the CPU.
std::vector<std::string> targetKeys(const Target& target);

// The names of one block for one call.
class GuardScope {
public:
    // Refused with a sentence if the call does not fit the block's own signature.
    static Result<GuardScope> bind(const ImplementationsTree& block, const Workload& workload);

    Verdicts decide(const Tree& guard, const std::string& text, const GuardTarget& target) const;

private:
    friend class GuardEvaluation;
    std::map<std::string, GuardValue> m_names;
};

// Names that nothing gives, functions that do not exist; each with its place. `op` is nullptr for a
// block of a kind.
Diags checkGuards(const ImplementationsTree& block, const Operator* op, const std::string& file);

} // namespace fw
