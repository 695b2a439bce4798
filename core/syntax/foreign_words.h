// Words that people bring along from NumPy, ONNX, TVM or MLIR, and what they are called here.
#pragma once

#include <string>
#include <string_view>

namespace fw {

// "true" and "false": numbers 1 and 0 wherever a value is written, never a name.
bool isBoolean(std::string_view word);
// "true" of "True"; empty if none of them is meant.
std::string_view booleanMeant(std::string_view word);

// The element type that is meant by a word that is none: "f32" of "float32", "float" and "FLOAT",
// "i64" of "int64"; empty if the word means none.
std::string_view elementTypeMeant(std::string_view word);
// What to write where a word stands that is no element type: "write f32". `otherwise` where nothing
// is meant.
std::string elementTypeHint(std::string_view word, std::string otherwise = {});
// Whether a word may stand for any element type: T, Acc. It begins with a capital, and is no
// element type of elsewhere.
bool isTypeVariable(std::string_view word);

// What a word is in patterns ("wildcard", "is_op"), in conditions ("ndim", "k.shape"): a sentence;
// empty if it is none that is known.
std::string patternHint(std::string_view word);
std::string conditionHint(std::string_view word);

} // namespace fw
