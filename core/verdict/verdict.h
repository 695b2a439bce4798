// Whether a rule computes what it replaces: it is let loose on small random graphs in which its
// patterns match, and both sides are computed without rounding (tensor/bounded.h). What differs by
// more than rounding may do is a counterexample.
//
// Says nothing of infinities and NaN in operands, of element types other than f32, f64, i64 and
// bool, and of forms of patterns that are not drawn. The draws follow from the seed alone.
#pragma once

#include "rewrite/driver.h"

namespace fw {

struct RuleTrial {
    int cases = 0; // graphs at which it acted and nothing differed
    // A graph at which something differs, the one with the fewest elements that was met.
    struct Counterexample {
        GraphPtr before, after;
        std::vector<TensorData> inputs; // of both, in their order
        std::string difference;         // "y[0, 2] is 3 instead of 5"
    };
    std::optional<Counterexample> wrong;
    std::string undone; // why it was taken back where it matched: other types
};

// `rule` is valid, and `around` has the patterns that it names.
RuleTrial tryRule(const std::shared_ptr<const RuleTree>& rule, const RuleBook& around,
                  const std::shared_ptr<const OperatorSet>& operators, std::uint64_t seed = 1);

// A graph as text whose inputs are constants with these values.
std::string withValues(const Graph& graph, const std::vector<TensorData>& inputs);

} // namespace fw
