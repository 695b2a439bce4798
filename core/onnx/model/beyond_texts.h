// Operators of ONNX and ONNX Runtime that are not computed and that nobody is asked to write as the
// text of an operator: what they work on has no form there. One table, by domain and type.
#pragma once

#include <string>
#include <string_view>

namespace fw {

inline constexpr std::string_view contribDomain = "com.microsoft"; // of ONNX Runtime's own

enum class BeyondTexts {
    None, // a text may say what it computes
    Recurrent,
    Sequences,
    Optionals,
    Maps,
    Text,
    Pictures,
    Learned,
    Tables,
};

// The domain "" is the standard one.
BeyondTexts beyondTexts(std::string_view domain, std::string_view type);

// What is to be known of such an operator; empty for None. `typed`: the types of its results are
// known.
std::string whyBeyondTexts(BeyondTexts kind, bool typed);

} // namespace fw
