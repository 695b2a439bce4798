// Axes of one nest while it is being lowered: extents and values as splits and fusions made them.
#pragma once

#include "expr/simplify.h"
#include "schedule/apply.h"

#include <set>

namespace fw {

// Which copy of a peeled loop we are in.
struct PeelState {
    std::map<Symbol, Expr> extents;     // of axes of a remainder
    std::map<std::size_t, Expr> values; // split -> value of its axis
    std::map<std::size_t, Expr> guards; // split -> condition in its inner axis
};

class NestAxes {
public:
    void add(const Axis& axis) { m_base[axis.var] = axis.extent; }
    void add(const std::vector<AxisStep>& steps) {
        m_steps.insert(m_steps.end(), steps.begin(), steps.end());
    }

    const std::vector<AxisStep>& steps() const { return m_steps; }
    std::map<Symbol, Expr> extents(const PeelState& peel) const;
    // An index expression over axes, in the variables of the loops; axes that are not in `split`
    // stay as they are.
    Expr through(Expr e, const PeelState& peel, const Ranges& ranges,
                 const std::set<Symbol>* split = nullptr) const;
    // These loops and every axis of which one of them is made.
    std::set<Symbol> sources(std::set<Symbol> loops) const;
    // What must hold for the axis of a split to be inside its extent; true if it always is.
    Expr tailGuard(std::size_t split, const PeelState& peel, const Ranges& ranges) const;
    // Loop variable -> the axes it stems from.
    std::map<Symbol, std::set<Symbol>> origins() const;
    // The peeled split whose outer loop this is, if its factor does not divide.
    std::optional<std::size_t> peeledSplit(Symbol outer, const PeelState& peel) const;

private:
    std::map<Symbol, Expr> m_base;
    std::vector<AxisStep> m_steps;
};

// e = coefficient * var + rest, both free of var; the coefficient may be symbolic.
struct SymbolicLinear {
    Expr coefficient;
    Expr rest;
};
std::optional<SymbolicLinear> symbolicLinear(const Expr& e, Symbol var);

} // namespace fw
