// Whether a rule computes what it replaces: it is let loose on small random graphs in which its
// patterns match, and both sides are computed without rounding (tensor/bounded.h). What differs by
// more than rounding may do is a counterexample.
//
// Each graph is computed with small whole numbers, with others, with those at which types end, and
// with NaN and infinities (compare_graphs.h). A difference that takes NaN, an infinity or a result
// beyond f32 does not refute, it is named: "proved but for NaN". So is one that takes an integer to
// wrap, unless the rule is about integers: where what holds the integer could be a real number, the
// rule speaks of numbers. A right side that has another type, or cannot be computed for the types
// that its pattern takes, is refuted: its application is undone.
//
// Where nothing differs it is asked for a proof (proof.h), which holds for all values at the graphs
// that were drawn. Says nothing of forms of patterns that are not drawn. The draws follow from the
// seed alone.
#pragma once

#include "base/cancel.h"
#include "rewrite/driver.h"
#include "verdict/compare_graphs.h"
#include "verdict/proof.h"

namespace fw {

struct RuleTrial {
    int cases = 0;       // graphs at which it acted and nothing differed
    std::string untried; // why there are none, of a rule that is "unknown": a sentence
    // Of the first of these, each of which was proved for all values: by what; None: of one nothing
    // was shown, or of none.
    Proof proof = Proof::None;
    int proved = 0;
    // What the verdict leaves out, with a difference that was seen ("y[0] is 1 instead of nan");
    // none of Rounding, which is what a proof over reals and a tolerance leave out.
    std::map<ButFor, std::string> butFor;
    // Constants of the pattern that hold NaN or infinities in such a difference at ordinary
    // operands: `finite` in a condition keeps these out.
    std::set<std::string> notFinite;
    // A graph at which something differs, the one with the fewest elements that was met.
    struct Counterexample {
        GraphPtr before;
        GraphPtr after;                 // null: the application was undone
        std::vector<TensorData> inputs; // in their order
        std::string difference;         // "computes something else: y[0, 2] is 3 instead of 5"
    };
    std::optional<Counterexample> wrong;
    // The graphs at which it acted as they were drawn, in their order, of so many draws
    // (draw_graph.h); of none where others would be drawn for its patterns alone.
    std::vector<GraphPtr> acted;
    int draws = 0;
    bool changes = false; // what is computed is meant to become something else

    // "refuted" ("changes results" if that is meant), "unknown", or "tested", "proved", "proved
    // exact" with what is left out: "proved but for NaN and rounding".
    std::string verdict() const;
};

// `rule` is valid, and `around` has the patterns that it names. What was cancelled says less.
// Without proofs only whether it is refuted is asked for, which takes less time.
enum class Proofs : std::uint8_t { Look, Leave };
RuleTrial tryRule(const std::shared_ptr<const RuleTree>& rule, const RuleBook& around,
                  const std::shared_ptr<const OperatorSet>& operators, std::uint64_t seed = 1,
                  const CancelToken& cancel = {}, Proofs proofs = Proofs::Look);

} // namespace fw
