// Whether two terms are equal for all real values of their leaves, asked of an SMT solver (Z3):
// for terms with a minimum, a comparison or a choice in them, of which arithmetic alone says
// nothing. Integers have the bits of their type and wrap; of a conversion that rounds or cuts is
// known only that it is a function, and other functions are known by a few of their laws (exp > 0,
// sqrt(x)^2 = x, ...).
//
// The only file that sees Z3's headers is smt.cpp. Effort is counted, not timed, so that the answer
// is the same on every machine.
#pragma once

#include "verdict/terms.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace fw {

// One for the questions of one rule, which share what is costly to begin with.
class Solver {
public:
    // Effort of one question, in units of the solver; about a tenth of a second.
    static constexpr unsigned effort = 400000;

    Solver();
    ~Solver();
    Solver(Solver&&) noexcept;
    Solver& operator=(Solver&&) noexcept;

    // `values`: of the terms over a field (field.h); terms that agree there, or up to the sign, are
    // one for the solver. False also if nothing was found; nullopt: the terms are too large.
    std::optional<bool> equal(const Terms& terms, const std::vector<std::uint64_t>& values,
                              TermId a, TermId b);

private:
    struct Context;
    std::unique_ptr<Context> m_context; // begun by the first question
};

} // namespace fw
