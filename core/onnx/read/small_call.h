// One node of shape arithmetic that is evaluated while importing (shape_values.h), and what its
// functions have in common.
#pragma once

#include "onnx/model/attributes.h"
#include "onnx/read/shape_values.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace fw {

using SmallOutcome = std::optional<std::vector<SmallTensor>>;

struct SmallCall {
    const proto::NodeProto& node;
    std::int64_t opset;
    const std::vector<SmallOperand>& operands;

    const SmallTensor* value(std::size_t i) const {
        return i < operands.size() && operands[i].value ? &*operands[i].value : nullptr;
    }
    bool has(std::size_t i) const { return i < operands.size() && operands[i].present; }
    std::int64_t integer(std::string_view name, std::int64_t fallback) const {
        const auto read = integerAttribute(node, name, fallback);
        return read ? *read : fallback;
    }
    // An attribute in older opsets, operand `i` in newer ones. Outer nullopt: not known.
    std::optional<std::optional<std::vector<std::int64_t>>> list(std::string_view name,
                                                                 std::size_t i) const;
};

using EvaluateSmall = SmallOutcome (*)(const SmallCall&);

// The result of a node, simplified; nullopt if it is too large or its type does not hold it.
SmallOutcome smallResult(SmallTensor tensor);
// Broadcasts scalars and lists of one element over lists; other shapes are left to the graph.
SmallOutcome binary(const SmallCall& call, DType* result,
                    const std::function<std::optional<Expr>(const Expr&, const Expr&)>& apply);
// Constants fold with checks; an overflow is left to the graph.
std::optional<Expr> checked(const Expr& a, const Expr& b,
                            std::optional<std::int64_t> (*fold)(std::int64_t, std::int64_t),
                            Expr (*build)(const Expr&, const Expr&));

// Comparisons, what is made of truths, and reductions of lists; nullptr: it is none of them.
EvaluateSmall truthOrReduction(std::string_view type);

} // namespace fw
