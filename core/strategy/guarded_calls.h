// Small random calls of an operator that the guard of an entry lets through.
#pragma once

#include "base/random.h"
#include "strategy/computation.h"
#include "tensor/condition_values.h"

#include <map>
#include <optional>
#include <random>
#include <set>

namespace fw {

struct DrawnCall {
    GraphPtr graph; // one node behind its operands
    const Node* node = nullptr;
    std::string text; // "x: f32[1, 2], strides = [2, 2]"
    std::int64_t elements = 0;
    std::vector<std::size_t> alone; // alternatives of the guard of which no other one holds
    bool sure = true;               // the guard lets it through whatever its operands hold
};

// What a guard says of numbers and of constants, wherever it stands in it.
struct GuardTerms {
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
    std::set<std::string> constants; // operands of which it asks what only constants have

    void read(const Tree& tree);

private:
    void addNames(const Tree& tree);
};

class GuardedCalls {
public:
    GuardedCalls(const ComputedEntry& computed, std::shared_ptr<const OperatorSet> operators,
                 SignatureTree signature);

    // The first part of the guard that held for no call; empty: each held for some.
    std::string neverHeld() const;

    // Whether some alternative of the guard has held alone too rarely, and whether it does here.
    bool lacksAlternatives() const;
    bool holdsWhatLacks(const DrawnCall& call) const;
    void note(const DrawnCall& tried);

    // What the guard asks for, and in turn what it asks for with one of its alternatives.
    std::optional<DrawnCall> draw();

    std::vector<TensorData> operands(const DrawnCall& call, bool whole);

private:
    // Integers are mostly places of something else.
    TensorData dataOf(const TensorType& type, bool whole);

    double uniform() { return std::uniform_real_distribution<double>()(m_random); }
    bool chance(double share) { return uniform() < share; }
    template <class List>
    auto oneOf(const List& list) {
        return list[static_cast<std::size_t>(uniform() * static_cast<double>(std::size(list)))];
    }

    // What the guard asks of single names is not left to chance, where it asks for one value.
    std::optional<TermValue> askedFor(const std::string& name);

    std::optional<AttrValue> attribute(const std::string& name);

    std::optional<TensorType> typeOf(const ParamTree& param);

    // One that the operator takes of a type variable, mostly f32 where it may.
    DType dtypeOf(const std::string& name);
    void readRequired();

    Dim extent();

    // Of any name: the guard may speak of what `let` makes of the extents.
    std::optional<std::int64_t> askedExtent();

    // Near a number of the guard, or such that two of them multiply to more: K * N > 500.
    std::optional<std::int64_t> spokenExtent();

    bool append(const DimTree& dim, Shape& shape);

    void addAlternatives(std::size_t conjunct);

    // Alternatives without which the guard would keep the call out.
    std::vector<std::size_t> alone(const Scope& scope) const;

    bool passes(DrawnCall& call);

    const ComputedEntry& m_computed;
    std::shared_ptr<const OperatorSet> m_operators;
    const Operator& m_op;
    SignatureTree m_signature;
    struct Alternative { // of "||" in a conjunct
        ConditionTree condition;
        std::size_t conjunct = 0;
        AskedValues asked; // with the other conjuncts
        int alone = 0;     // calls that were tried in which no other one of the conjunct holds
    };
    static constexpr int wantedAlone = 3;

    AskedValues m_ofGuard;
    const AskedValues* m_asked = &m_ofGuard; // of the call that is drawn
    std::vector<Alternative> m_alternatives;
    std::size_t m_turn = 0;
    GuardTerms m_spoken;
    std::vector<ConditionTree> m_conjuncts; // of the guard
    std::vector<bool> m_held;
    Scope m_scope;
    std::map<std::string, std::vector<DType>> m_required; // by type variable
    std::map<std::string, DType> m_types;                 // of the call that is drawn
    std::vector<std::int64_t> m_used;
    std::mt19937_64 m_random{1};
    Random m_values{1};
};

} // namespace fw
