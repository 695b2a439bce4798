// What a book has to say so that a node that nobody knows becomes an operator: everything but its
// computation.
#pragma once

#include "ir/operator.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fw {

struct UnknownCall {
    std::string domain; // "" is the standard one
    std::string type;
    std::int64_t opset = 1;                                      // of the domain
    std::vector<std::optional<TensorType>> operands;             // nullopt: left out
    std::vector<std::pair<std::string, std::string>> attributes; // name, type: "int", "text[]"
    std::vector<std::optional<TensorType>> results;              // nullopt: nothing says it
};

struct Declaration {
    std::string name; // of the operator, which is not among the known ones
    std::string text; // "op my_conv(x: f32[D1]) -> y: f32[D1] onnx ... { y[i1] = ... }"
};
enum class OnnxClause : std::uint8_t { Without, With };
Declaration declarationOf(const UnknownCall& call, const OperatorSet& known, OnnxClause clause);

// "int[]"; empty if such a value has no form in the text of an operator.
std::string attributeType(const AttrValue& value);

} // namespace fw
