// What names and terms of a condition stand for, and their kinds, which are known before any value
// is.
#pragma once

#include "ir/graph.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fw {

enum class TermKind : std::uint8_t {
    Integer,     // a dim, an integer attribute, rank(x)
    Real,        // a real attribute
    Text,        // a text attribute
    DType,       // f32, dtype(x)
    IntegerList, // a pack of dims, a list attribute
    RealList,
    Tensor, // an operand, a capture
    Truth,  // a comparison, const(x)
    Any,    // an attribute whose type its operator does not say
};
std::string_view kindNoun(TermKind kind); // "an integer"

// An optional part of a pattern that is not there.
struct AbsentPart {};

// A value of a graph, which must outlive it.
struct TensorValue {
    const Graph* graph = nullptr;
    ValueRef ref;

    const TensorType& type() const { return graph->type(ref); }
};

// Of a truth: nothing is false, 1 is true; see Truth for what is not known.
using TermValue =
    std::variant<AbsentPart, TensorValue, Expr, double, std::string, DType, Exprs, Reals, bool>;

// nullopt for what conditions cannot speak of: lists of texts, tensors.
std::optional<TermValue> valueOf(const AttrValue& attr);
// The attribute that a value is; nullopt for tensors and truths.
std::optional<AttrValue> attributeOf(const TermValue& value);
// A real, or an integer that is known.
std::optional<double> numberOf(const TermValue& value);
// Reals of attributes are f32 in a model: 0.1 there is 0.1 here.
bool sameReal(double a, double b);
std::string textOf(const TermValue& value); // "N * 4", "[1, 1]", "f32"
TermKind kindOf(AttrType type);

} // namespace fw
