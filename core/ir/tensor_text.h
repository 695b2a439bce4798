// Small tensors and tensor types as `.fw` text: "[1, 2.5]" and "f32[N, 4]".
#pragma once

#include "expr/parse.h"
#include "ir/tensor_data.h"
#include "syntax/tree.h"

#include <optional>
#include <string>

namespace fw {

constexpr std::size_t smallTensor = 16; // elements that are written rather than named

// Shortest text that reads back as the same element of this type: 0.1 where f32 holds
// 0.10000000149011612.
std::string numberText(double value, DType dtype);

// One element, as it is read: integers with all their digits.
std::string elementText(const TensorData& data, std::size_t i);

// The elements in row-major order. nullopt if there are more than `most`, or if the text would not
// read back as the same bytes (text tensors, the bits of an odd NaN): such a tensor is named by its
// hash.
std::optional<std::string> elementsText(const TensorData& data, std::size_t most = smallTensor);

// Counterparts. ShapeMismatch, TextType, DimOverflow with the place in `file`.
Result<TensorData> tensorFromTree(const TensorType& type, const Tree& elements,
                                  const std::string& file);
// `scope` says what the names of dimensions stand for.
Result<TensorType> typeFromTree(const TypeTree& tree, const ExprScope& scope);
// What is wrong with a type of a signature whatever stands for its names: an element type that is
// none, an extent below 0.
Diags checkSignatureType(const TypeTree& type, const std::string& file);
// Extents of a type that must have no free dimension, with at most 2^28 elements.
Result<std::vector<std::int64_t>> constantExtents(const TensorType& type);

// A number with an optional sign, inf or nan.
std::optional<double> numberFromTree(const Tree& tree);
std::optional<std::int64_t> integerFromTree(const Tree& tree); // true and false are 1 and 0
bool holdsInteger(DType dtype, std::int64_t value);            // of a type of integers, or bool
// Of a list of texts, which may be empty.
std::optional<std::vector<std::string>> textsFromTree(const Tree& tree);

} // namespace fw
