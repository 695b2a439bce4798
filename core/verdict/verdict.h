// Whether a rule computes what it replaces: it is let loose on small random graphs in which its
// patterns match, and both sides are computed without rounding (tensor/bounded.h). What differs by
// more than rounding may do is a counterexample.
//
// Each graph is computed with small whole numbers, with others, and, where the right side reads an
// input no more, with infinities and NaN in it. A right side that has another type, or cannot be
// computed for the types that its pattern takes, is refuted, too: its application is undone.
//
// Where nothing differs it is asked for a proof (proof.h), which holds for all values at the graphs
// that were drawn. Says nothing of element types other than f32, f64, i64 and bool, and of forms of
// patterns that are not drawn. The draws follow from the seed alone.
#pragma once

#include "base/cancel.h"
#include "rewrite/driver.h"
#include "verdict/proof.h"

namespace fw {

struct RuleTrial {
    int cases = 0; // graphs at which it acted and nothing differed
    // Of the first of these, each of which was proved for all values: by what; None: of one nothing
    // was shown, or of none.
    Proof proof = Proof::None;
    int proved = 0;
    // A graph at which something differs, the one with the fewest elements that was met.
    struct Counterexample {
        GraphPtr before;
        GraphPtr after;                 // null: the application was undone
        std::vector<TensorData> inputs; // in their order
        std::string difference;         // "computes something else: y[0, 2] is 3 instead of 5"
    };
    std::optional<Counterexample> wrong;
};

// `rule` is valid, and `around` has the patterns that it names. What was cancelled says less.
RuleTrial tryRule(const std::shared_ptr<const RuleTree>& rule, const RuleBook& around,
                  const std::shared_ptr<const OperatorSet>& operators, std::uint64_t seed = 1,
                  const CancelToken& cancel = {});

// A graph as text whose inputs are constants with these values.
std::string withValues(const Graph& graph, const std::vector<TensorData>& inputs);

} // namespace fw
