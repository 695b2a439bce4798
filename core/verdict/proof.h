// Whether two graphs over the same inputs compute the same for all values, not only for those that
// are tried: their results as terms (symbolic.h) are the same terms, equal as formulas over a field
// (field.h), or equal for a solver (smt.h). It holds for the shapes and attributes of the graphs.
#pragma once

#include "ir/graph.h"
#include "verdict/smt.h"
#include "verdict/terms.h"

#include <cstdint>
#include <set>
#include <vector>

namespace fw {

enum class Proof : std::uint8_t {
    None,      // nothing was found
    OverReals, // equal as real numbers: rounding, overflow and infinities are another matter
    Exact,     // the same operations of the same elements; sums over axes in any order
    TooLarge   // not asked
};

class Prover {
public:
    // Constants that both graphs have are arbitrary where that can be shown, else as they are.
    Proof equal(const Graph& before, const Graph& after);

private:
    enum class Constants : std::uint8_t { Any, AsTheyAre };
    Proof asked(const Graph& before, const Graph& after, Constants mode);
    Proof solved(const Terms& terms, const std::vector<std::uint64_t>& values,
                 const std::set<std::pair<TermId, TermId>>& pairs);

    std::set<std::vector<std::int64_t>> m_solved; // pairs of terms that the solver found equal
    Solver m_solver;
    int m_questions = 0;
    bool m_ofAny = true;     // whether the solver is asked about any constants
    std::size_t m_terms = 0; // of all graphs so far
};

} // namespace fw
