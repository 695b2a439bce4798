// The reference, node by node: what the generator tries operators with, and the judge of results.
// f16 and bf16 are computed in f32 and rounded here (numbers.h), and simple operators are held
// against the arithmetic of the compiler (native.h), so that the judge does not share the
// conversions of what it judges.
//
// Beside its values a tensor knows whether they are exact: made by operators that do not round, or
// of integers by sums and products whose partial ones every order represents.
#pragma once

#include "fuzz/case.h"

#include <functional>

namespace fw::fuzz {

struct Tried {
    std::vector<TensorData> outputs;
    bool exact = false;
};

struct Operand {
    const TensorData* data = nullptr; // nullptr: an absent optional operand
    bool exact = false;
};

// One call on concrete operands; shapes in `attrs` take `sizes`. LimitReached if what is right
// cannot be said, but where operands are `disturbed`: then whatever the reference makes of them.
Result<Tried> tryCall(const OperatorSet& operators, const std::string& op,
                      const std::vector<Operand>& operands, const Attrs& attrs, const Sizes& sizes,
                      bool disturbed = false);

// What an evaluation sees of each value before others read it; it may change the data, which
// are disturbed then.
using ValueHook = std::function<void(const Node& node, std::size_t output, TensorData& data)>;
// What stands for a real attribute, which may be left to its default.
using AttributeHook = std::function<double(double)>;

struct Evaluated {
    std::vector<TensorData> results;
    std::vector<bool> exact;
};
Result<Evaluated> evaluateNodes(const Graph& graph, const Sizes& sizes,
                                const std::vector<TensorData>& inputs,
                                const ValueHook& hook = nullptr,
                                const AttributeHook& attribute = nullptr);

// Floats that are integers below 2^24 and below what the type represents, or no floats at all.
bool isWhole(const TensorData& data);
double largestOf(const TensorData& data); // of the absolute values; infinity if one is a NaN

} // namespace fw::fuzz
